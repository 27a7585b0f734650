/** The grant step of the semaphore: permits/grant.lua and permits/announce.lua, which say why each of their steps is there. */

import { attempt, type Commands } from '../../commands.js';
import { ErrorReply } from '../../reply.js';
import { waiting } from '../grant.js';
import { isGone, tell } from '../inbox.js';
import { given, integer } from '../lua.js';
import type { Holders } from './holders.js';

const MOST_LOOKED_AT = 64;

/** How waiters are told. */
export interface Granting {
  readonly claimMs: number;
  readonly trust: boolean;
}

/** The two arguments from number `i` on, which counts from 1. */
export function grantingOf(args: readonly string[], i: number): Granting {
  return { claimMs: integer(args, i, 1), trust: given(args, i) === '1' };
}

interface Waiting {
  readonly untilMs: number;
  readonly wantedMs: number;
  readonly n: number;
}

/** One grant step. */
export class GrantStep {
  limited = false;
  readonly #redis: Commands;
  readonly #holders: Holders;
  readonly #granting: Granting;

  constructor(redis: Commands, holders: Holders, granting: Granting) {
    this.#redis = redis;
    this.#holders = holders;
    this.#granting = granting;
  }

  get waiting(): number {
    return waiting(this.#redis, this.#holders.queue);
  }

  get unserved(): number {
    return this.limited ? this.waiting : 0;
  }

  /** Answers whether `self`, the asking tenure, has got its permits. */
  passOn(self?: string): boolean {
    const redis = this.#redis;
    const { queue, fresh, nowMs } = this.#holders;
    let isIn = false;
    for (let looked = 0; looked < MOST_LOOKED_AT; looked++) {
      const { free } = this.#holders;
      if (free === undefined || free < 1) return isIn;
      const heads = attempt(() => redis.zrange(queue, 0, 0));
      const head = heads instanceof ErrorReply ? undefined : heads[0];
      if (head === undefined) return isIn;
      const waiter = this.#freshness(head);
      const isFresh = waiter !== undefined && waiter.untilMs >= nowMs;
      const isHere = isFresh && (head === self || !isGone(redis, head, this.#granting.trust));
      if (isHere && waiter.n > free) return isIn;
      if (attempt(() => redis.zrem(queue, head)) !== 1) return isIn;
      attempt(() => redis.hdel(fresh, head));
      if (!isHere || waiter === undefined) {
        this.#holders.untold = true;
        continue;
      }
      if (head === self) {
        if (this.#holders.take(head, waiter.n, waiter.wantedMs) instanceof ErrorReply) return false;
        isIn = true;
      } else if (this.#grant(head, waiter) !== undefined) return isIn;
    }
    this.limited = true;
    return isIn;
  }

  announce(channel: string): void {
    const { free } = this.#holders;
    if (free === undefined || free < 1 || this.waiting > 0) return;
    announce(this.#redis, channel, free, this.#granting.trust);
  }

  #grant(id: string, { n, wantedMs }: Waiting): ErrorReply | undefined {
    const redis = this.#redis;
    const holders = this.#holders;
    const { claimMs } = this.#granting;
    const leaseMs = wantedMs > 0 ? Math.min(wantedMs, claimMs) : claimMs;
    const gotMs = holders.take(id, n, leaseMs);
    if (gotMs instanceof ErrorReply) return gotMs;
    const { nowMs } = holders;
    tell(redis, id, `1 grant ${id} ${nowMs + gotMs} ${nowMs} ${this.waiting} -`);
    return undefined;
  }

  #freshness(id: string): Waiting | undefined {
    const entry = attempt(() => this.#redis.hget(this.#holders.fresh, id));
    const found = typeof entry === 'string' ? /^(\d+) (\d+) (\d+)(?: |$)/.exec(entry) : null;
    if (found === null) return undefined;
    return { untilMs: Number(found[1]), wantedMs: Number(found[2]), n: Number(found[3]) };
  }
}

export function announce(redis: Commands, channel: string, free: number, trust: boolean): void {
  attempt(() => redis.publish(channel, `${free}`));
  if (!trust) attempt(() => redis.spublish(channel, `${free}`));
}
