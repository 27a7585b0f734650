import { attempt, type Commands } from '../../commands.js';
import { ErrorReply, refusalOf } from '../../reply.js';
import { given, numberOf } from '../lua.js';

/** A side of the lock, as it is written. */
export type Side = 'r' | 'w';

/** The side of a read-write lock, by the fields of what stands there. */
export function sideOf(fields: ReadonlyMap<string, string> | undefined): Side | undefined {
  const side = fields?.get('side');
  const isOne = fields?.get('mode') === 'write' && numberOf(fields.get('sweep')) !== undefined;
  return isOne && (side === 'r' || side === 'w') ? side : undefined;
}

/** holders.lua: who holds a read-write lock, and as what. One for each run of a script. */
export class Holders {
  readonly lock: string;
  readonly writers: string;
  readonly readers: string;
  readonly fresh: string;
  readonly nowMs: number;
  side: Side | undefined;
  /** The side that was there before leases that have ended were swept. */
  before: Side | undefined;
  foreign = false;
  /** Readers may join those who are in, when more of the writers before them have been looked at. */
  goesOn = false;
  /** A reader asks that does not queue, and would come to those who are in. */
  joins = false;
  sweepAt = 0;
  readonly #redis: Commands;

  constructor(redis: Commands, keys: readonly string[], nowMs: number) {
    this.#redis = redis;
    this.lock = given(keys, 0);
    this.writers = given(keys, 1);
    this.readers = given(keys, 2);
    this.fresh = given(keys, 3);
    this.nowMs = nowMs;
  }

  look(): void {
    let fields: ReadonlyMap<string, string> | undefined;
    try {
      fields = this.#redis.hmget(this.lock);
    } catch (error) {
      const refusal = refusalOf(error);
      if (!refusal.message.includes('WRONGTYPE')) throw refusal;
      this.foreign = true;
      return;
    }
    this.side = sideOf(fields);
    if (this.side === undefined) {
      this.foreign = this.#redis.exists(this.lock);
      return;
    }
    this.before = this.side;
    this.sweepAt = numberOf(fields?.get('sweep')) ?? 0;
    if (this.sweepAt <= this.nowMs) this.#sweep();
  }

  /** Returns the refusal of a write, if there was one. */
  hold(id: string, what: Side, leaseMs: number): ErrorReply | undefined {
    const untilMs = this.nowMs + leaseMs;
    const isNew = this.side !== what;
    const end = `${untilMs}`;
    const pairs = isNew
      ? ['mode', 'write', 'side', what, 'sweep', end, id, end]
      : untilMs < this.sweepAt
        ? ['sweep', end, id, end]
        : [id, end];
    const written = attempt(() => this.#redis.hset(this.lock, ...pairs));
    if (written instanceof ErrorReply) return written;
    const lasting = attempt(() => {
      const ttlMs = isNew ? -1 : this.#redis.pttl(this.lock);
      if (ttlMs < leaseMs) this.#redis.pexpire(this.lock, leaseMs);
    });
    if (lasting instanceof ErrorReply) {
      attempt(() => this.#redis.hdel(this.lock, id, ...(isNew ? ['mode', 'side', 'sweep'] : [])));
      if (isNew) attempt(() => this.#redis.del(this.lock));
      return lasting;
    }
    this.sweepAt = isNew ? untilMs : Math.min(this.sweepAt, untilMs);
    this.side = what;
    return undefined;
  }

  #sweep(): void {
    let soonest = Number.POSITIVE_INFINITY;
    for (const [field, value] of [...(this.#redis.hgetall(this.lock) ?? [])]) {
      if (!field.includes(':')) continue;
      const untilMs = numberOf(value) ?? 0;
      if (untilMs <= this.nowMs) this.#redis.hdel(this.lock, field);
      else soonest = Math.min(soonest, untilMs);
    }
    if (soonest === Number.POSITIVE_INFINITY) {
      this.#redis.del(this.lock);
      this.side = undefined;
      return;
    }
    this.sweepAt = soonest;
    attempt(() => this.#redis.hset(this.lock, 'sweep', `${soonest}`));
  }
}
