import { attempt, type Commands } from '../../commands.js';
import { ErrorReply } from '../../reply.js';
import { tell } from '../inbox.js';
import { given, numberOf } from '../lua.js';

/** How many permits a tenure has, and until when; 0: never ends. */
export interface Record {
  readonly n: number;
  readonly untilMs: number;
}

export function parse(entry: string | undefined): Record | undefined {
  const found = entry === undefined ? null : /^(\d+) (\d+)(?: |$)/.exec(entry);
  return found === null ? undefined : { n: Number(found[1]), untilMs: Number(found[2]) };
}

function isHolder(field: string): boolean {
  return field.includes(':');
}

/** What never ends is in Redisson's set with a later time. */
export const NEVER_AT = 2 ** 53;

const MOST_OF_JAVA = 1_000;

export const NOT_A_SEMAPHORE = 'NOTASEMAPHORE this key is not a semaphore';

/** free.lua */
export function countIn(text: string | undefined): number | undefined {
  const n = numberOf(text);
  return Number.isSafeInteger(n) && `${n}` === text ? n : undefined;
}

/** holders.lua, take.lua, give.lua, sweep.lua, begin.lua. One for each run of a script. */
export class Holders {
  readonly count: string;
  readonly queue: string;
  readonly fresh: string;
  readonly permits: string;
  /** Who has permits of Redisson's expirable semaphore; of scripts that sweep, or begin. */
  readonly #timeouts: string;
  nowMs = 0;
  free: number | undefined;
  sweepAt: number | undefined;
  /** Of all that is free Redisson's clients do not know. */
  untold = false;
  /** When the first lease of Redisson's may end. */
  javasEndAt: number | undefined;
  readonly #redis: Commands;

  constructor(redis: Commands, keys: readonly string[]) {
    this.#redis = redis;
    this.count = given(keys, 0);
    this.queue = given(keys, 1);
    this.fresh = given(keys, 2);
    this.permits = keys.at(-1) ?? '';
    this.#timeouts = keys.at(-2) ?? '';
  }

  strike(id: string): void {
    const redis = this.#redis;
    attempt(() => redis.hdel(this.permits, id));
    if (attempt(() => redis.hlen(this.permits)) === 1 && attempt(() => redis.hexists(this.permits, 'sweep')) === true) {
      attempt(() => redis.del(this.permits));
      this.sweepAt = undefined;
    }
  }

  look(): ErrorReply | undefined {
    const value = attempt(() => this.#redis.get(this.count));
    if (value instanceof ErrorReply) {
      return value.message.includes('WRONGTYPE') ? new ErrorReply(NOT_A_SEMAPHORE) : value;
    }
    this.free = countIn(value);
    if (value !== undefined && this.free === undefined) return new ErrorReply(NOT_A_SEMAPHORE);
    return undefined;
  }

  recordOf(id: string): Record | undefined {
    return parse(this.#redis.hget(this.permits, id));
  }

  /** Of a lease, 0 for one that never ends: how long it lasts in a semaphore that lasts for ttlMs, or for ever. */
  within(leaseMs: number, ttlMs: number): number {
    if (ttlMs < 0) return leaseMs;
    return Math.max(leaseMs > 0 ? Math.min(leaseMs, ttlMs) : ttlMs, 1);
  }

  /** Returns the refusal of the write. */
  record(id: string, n: number, untilMs: number): ErrorReply | undefined {
    const pairs = [id, `${n} ${untilMs}`];
    if (untilMs !== 0 && !(this.sweepAt !== undefined && this.sweepAt <= untilMs)) {
      this.sweepAt = untilMs;
      pairs.push('sweep', `${untilMs}`);
    }
    const written = attempt(() => this.#redis.hset(this.permits, ...pairs));
    return written instanceof ErrorReply ? written : undefined;
  }

  /** Returns the lease that the tenure has got, 0 for one that never ends, or the refusal. */
  take(id: string, n: number, wantedMs: number): ErrorReply | number {
    const redis = this.#redis;
    const ttlMs = attempt(() => redis.pttl(this.count));
    if (ttlMs instanceof ErrorReply) return ttlMs;
    const leaseMs = this.within(wantedMs, ttlMs);
    const refused = this.record(id, n, leaseMs > 0 ? this.nowMs + leaseMs : 0);
    if (refused !== undefined) return refused;
    const taken = attempt(() => redis.decrby(this.count, n));
    if (taken instanceof ErrorReply) {
      this.record(id, 0, 1);
      this.strike(id);
      return taken;
    }
    this.free = taken;
    if (ttlMs < 0) attempt(() => redis.persist(this.permits));
    else attempt(() => redis.pexpire(this.permits, Math.max(ttlMs, 1)));
    return leaseMs;
  }

  put(n: number): void {
    if (this.free !== undefined) this.free = this.#redis.incrby(this.count, n);
  }

  shrink(id: string, { n, untilMs }: Record, left: number): void {
    const redis = this.#redis;
    redis.hdel(this.permits, '');
    if (left > 0) {
      this.put(0);
      redis.hset(this.permits, id, `${left} ${untilMs}`);
      this.put(n - left);
    } else {
      this.put(n);
      this.strike(id);
    }
  }

  #sweepJavas(): void {
    if (this.free === undefined || !this.#redis.exists(this.#timeouts)) return;
    for (let n = 0; n < MOST_OF_JAVA; n++) {
      const found = attempt(() => this.#redis.zrangeWithScores(this.#timeouts, 0, 0));
      const first = found instanceof ErrorReply ? undefined : found[0];
      this.javasEndAt = first?.score;
      if (first === undefined || first.score > this.nowMs) return;
      this.#redis.zrem(this.#timeouts, '');
      this.put(1);
      this.#redis.zrem(this.#timeouts, first.member);
      this.untold = true;
    }
  }

  sweep(): void {
    const redis = this.#redis;
    this.#sweepJavas();
    this.sweepAt = numberOf(redis.hget(this.permits, 'sweep'));
    if (this.sweepAt === undefined || this.nowMs < this.sweepAt) return;
    let soonest: number | undefined;
    for (const [field, value] of [...(redis.hgetall(this.permits) ?? [])]) {
      const record = parse(value);
      if (!isHolder(field) || record?.untilMs === 0) continue;
      if (record !== undefined && record.untilMs > this.nowMs) {
        soonest = Math.min(soonest ?? record.untilMs, record.untilMs);
      } else {
        this.shrink(field, { n: record?.n ?? 0, untilMs: 0 }, 0);
        this.untold = true;
      }
    }
    this.sweepAt = soonest;
    if (soonest === undefined) redis.hdel(this.permits, 'sweep');
    else attempt(() => redis.hset(this.permits, 'sweep', `${soonest}`));
  }

  begin(n: number, ttlMs: number): void {
    const redis = this.#redis;
    const holders = redis.hkeys(this.permits);
    if (holders.length > 0) redis.del(this.permits);
    const javas = attempt(() => redis.zcard(this.#timeouts));
    if (typeof javas === 'number' && javas > 0) redis.del(this.#timeouts);
    redis.set(this.count, `${n}`, ttlMs > 0 ? ttlMs : undefined);
    this.free = n;
    this.untold = true;
    for (const holder of holders) if (isHolder(holder)) tell(redis, holder, `1 look ${holder}`);
  }

  /** Permits that are in use, beside those of Redisson's clients. */
  used(): number {
    let sum = 0;
    for (const [field, value] of this.#redis.hgetall(this.permits) ?? [])
      if (isHolder(field)) sum += parse(value)?.n ?? 0;
    return sum;
  }
}
