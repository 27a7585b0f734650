/** The grant step of the read-write lock: read-write/grant.lua, which says why each of its steps is there. */

import { attempt, type Commands } from '../../commands.js';
import { ErrorReply } from '../../reply.js';
import { freshnessOf, waiting } from '../grant.js';
import { isGone, tell } from '../inbox.js';
import { given, integer } from '../lua.js';
import type { Asker, Freshness } from '../grant.js';
import type { Holders, Side } from './holders.js';

const MOST_TRIED = 64;
const MOST_READERS = 1_000;

/** How waiters are chosen and told. */
export interface Granting {
  readonly claimMs: number;
  readonly trust: boolean;
  readonly writersFirst: boolean;
}

/** The three arguments from number `i` on, which counts from 1. */
export function grantingOf(args: readonly string[], i: number): Granting {
  return { claimMs: integer(args, i, 1), trust: given(args, i) === '1', writersFirst: given(args, i + 1) === '1' };
}

export function othersOf(redis: Commands, { writers, readers }: Holders, what: Side | undefined): number {
  return waiting(redis, writers) + (what === 'w' ? waiting(redis, readers) : 0);
}

export function unserved(redis: Commands, { side, goesOn, foreign, writers, readers }: Holders): number {
  return (side !== undefined && !goesOn) || foreign ? 0 : waiting(redis, writers) + waiting(redis, readers);
}

/** One grant step. */
export class GrantStep {
  readonly #redis: Commands;
  readonly #holders: Holders;
  readonly #granting: Granting;
  readonly #self: Asker | undefined;

  constructor(redis: Commands, holders: Holders, granting: Granting, self?: Asker) {
    this.#redis = redis;
    this.#holders = holders;
    this.#granting = granting;
    this.#self = self;
  }

  passOn(): void {
    const { foreign, side, joins, readers, writers, fresh } = this.#holders;
    if (!foreign && side !== 'w') {
      if (side === undefined) this.#beginPhase();
      else if ((joins || this.#waits(readers)) && this.#firstOf(writers, 'probed') === undefined) {
        this.#holders.goesOn = this.#waits(writers);
        if (!this.#holders.goesOn) this.letReadersIn();
      }
    }
    const left = attempt(() => this.#redis.existing(writers, readers));
    if (!(left instanceof ErrorReply) && left.size === 0) attempt(() => this.#redis.del(fresh));
  }

  letReadersIn(): boolean {
    const { readers, writers } = this.#holders;
    const waitingReaders = attempt(() => this.#redis.zrange(readers, 0, MOST_READERS - 1));
    if (waitingReaders instanceof ErrorReply || waitingReaders.length === 0) return false;
    const others = waiting(this.#redis, writers);
    let some = false;
    for (const id of waitingReaders) {
      const fresh = this.#freshness(id);
      this.#drop(readers, id);
      const wantedMs = this.#wantedMs(id, fresh);
      if (wantedMs !== undefined && this.#letIn(id, 'r', others, wantedMs)) some = true;
    }
    return some;
  }

  remember(phase: Side): void {
    const { fresh } = this.#holders;
    if (attempt(() => this.#redis.exists(fresh)) === true) attempt(() => this.#redis.hset(fresh, 'last', phase));
  }

  #letWriterIn(): boolean {
    const holders = this.#holders;
    for (let tried = 0; tried < MOST_TRIED; tried++) {
      const first = this.#firstOf(holders.writers, 'told');
      if (first === undefined) return false;
      this.#drop(holders.writers, first.id);
      const wantedMs = first.id === this.#self?.tenure ? this.#self.leaseMs : first.wantedMs;
      if (this.#letIn(first.id, 'w', othersOf(this.#redis, holders, 'w'), wantedMs)) return true;
      this.#clear();
    }
    return false;
  }

  #beginPhase(): void {
    const { writers, readers, before, fresh } = this.#holders;
    attempt(() => this.#redis.del(this.#holders.lock));
    const writer = this.#firstOf(writers, 'told');
    const reader = this.#firstOf(readers, 'told');
    if (writer === undefined && (reader === undefined || this.#waits(writers))) return;
    if (reader === undefined && this.#waits(readers)) return;
    const last = before ?? attempt(() => this.#redis.hget(fresh, 'last'));
    let readersNext = writer === undefined;
    if (reader !== undefined && writer !== undefined && !this.#granting.writersFirst) {
      readersNext = last === 'w' || last === 'r' ? last === 'w' : reader.ticket < writer.ticket;
    }
    for (const phase of readersNext ? (['r', 'w'] as const) : (['w', 'r'] as const)) {
      if (phase === 'r' ? this.letReadersIn() : this.#letWriterIn()) {
        this.remember(phase);
        return;
      }
      this.#clear();
      if (this.#waits(phase === 'r' ? readers : writers)) return;
    }
  }

  /** Somebody is in that queue. */
  #waits(queue: string): boolean {
    return waiting(this.#redis, queue) > 0;
  }

  /** Nobody could be let in. */
  #clear(): void {
    attempt(() => this.#redis.del(this.#holders.lock));
    this.#holders.side = undefined;
  }

  #firstOf(queue: string, how: 'told' | 'probed'): { id: string; wantedMs: number; ticket: number } | undefined {
    for (let tried = 0; tried < MOST_TRIED; tried++) {
      const heads = attempt(() => this.#redis.zrangeWithScores(queue, 0, 0));
      const head = heads instanceof ErrorReply ? undefined : heads[0];
      if (head === undefined) return undefined;
      const { member: id, score: ticket } = head;
      const fresh = this.#freshness(id);
      const isFresh = fresh !== undefined && fresh.untilMs >= this.#holders.nowMs;
      const isHere = isFresh && !(how === 'probed' && isGone(this.#redis, id, this.#granting.trust));
      if (id === this.#self?.tenure || isHere) return { id, wantedMs: fresh?.wantedMs ?? 0, ticket };
      this.#drop(queue, id);
    }
    return undefined;
  }

  #letIn(id: string, what: Side, others: number, wantedMs: number): boolean {
    const holders = this.#holders;
    if (id === this.#self?.tenure) return holders.hold(id, what, wantedMs) === undefined;
    const { claimMs, trust } = this.#granting;
    if (isGone(this.#redis, id, trust)) return false;
    const grantedMs = Math.min(claimMs, wantedMs);
    if (holders.hold(id, what, grantedMs) !== undefined) return false;
    const { nowMs } = holders;
    tell(this.#redis, id, `1 grant ${id} ${nowMs + grantedMs} ${nowMs} ${others} -`);
    return true;
  }

  #wantedMs(id: string, fresh: Freshness | undefined): number | undefined {
    if (id === this.#self?.tenure) return this.#self.leaseMs;
    return fresh !== undefined && fresh.untilMs >= this.#holders.nowMs ? fresh.wantedMs : undefined;
  }

  #freshness(id: string): Freshness | undefined {
    const entry = attempt(() => this.#redis.hget(this.#holders.fresh, id));
    return entry instanceof ErrorReply ? undefined : freshnessOf(entry);
  }

  #drop(queue: string, id: string): void {
    attempt(() => this.#redis.zrem(queue, id));
    attempt(() => this.#redis.hdel(this.#holders.fresh, id));
  }
}
