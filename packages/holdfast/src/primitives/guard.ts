/**
 * Guards: writes to Redis that are refused when a holder with a later token has written.
 *
 * What is written carries a record, (token, n): under which token it was written, and the number of that write among those of its holder, which rises. A write is done when its
 * token is above the record's, or equal with a higher n. So a holder that was stopped for longer than its lease changes nothing any more
 * once its successor has written; and a late copy of write 1 never undoes write 2.
 *
 * Writes of one holder to one key run one after the other: the second, sent beside the first, might overtake it, and the first be taken for
 * its late copy. What re-enters the hold counts on: it is the same holder, with the same token.
 */

import type { ClientParts } from '../client-parts.js';
import { StaleTokenError } from '../errors.js';
import { checkKeys, checkString, checkTime, checkWellFormed, isObject, mistyped } from '../options.js';
import { shown } from '../reports/caller.js';
import { refuseSurplus } from '../surplus.js';
import type { Fence } from '../tenure/fence.js';
import { query } from '../tenure/query.js';
import { GuardOperations, type GuardedCommand } from './guard-operations.js';

/** Options of {@link Guard.set}. */
export interface GuardSetOptions {
  /** TTL of the value, in milliseconds: at least 1. Default: none, and one that the key had goes, as with SET. */
  ttlMs?: number | undefined;
}

/**
 * Writes to Redis under the token of one hold; see {@link FencedHold.guard}. Keys are as your own client of this connection names them: behind its `keyPrefix`, without the
 * `prefix` of the lock client. One key belongs to one lock: tokens of two locks say nothing about each other. Whatever else writes to the key, without a guard, is not held up.
 * Never the key of a lock, which is the lock's name behind the `prefix`: that of this hold's own lock is a RangeError before anything is sent, as `holdfast_…` and `redisson_…` are.
 *
 * Values and fields are well-formed Unicode, as names are: a lone surrogate is a RangeError.
 *
 * Every method resolves when the write is done, and rejects with StaleTokenError when a later token has written to the key, LockLostError or
 * LockNotHeldError when the hold is known to be over, LockRefusedError when Redis refuses (a key of another type), LockUnavailableError when it does not
 * answer in time: then the write may be done or not, and is done by a late copy only while no later write was.
 */
export interface Guard {
  /** SET. The record is the key `holdfast_fence:{key}`, which lives as long as the value, and for a day at least. */
  set(key: string, value: string | number, options?: GuardSetOptions): Promise<void>;
  /** DEL of what {@link set} has written. Late writers are refused for a day. */
  del(key: string): Promise<void>;
  /** HSET of 1 to 1 000 fields, none of them named `fence`. The record is the field `fence` of the hash, and goes with it: a hash with a TTL of yours, or deleted without the guard, keeps no late writer out afterwards. */
  hset(key: string, fields: Readonly<Record<string, string | number>>): Promise<void>;
  /** HDEL of 1 to 1 000 fields. The hash keeps its field `fence`, also when it has no other. */
  hdel(key: string, ...fields: string[]): Promise<void>;
}

/** A hold, as far as its guard goes. */
export interface GuardedHold {
  readonly name: string;
  /** The key of its lock, as a guarded key is given. */
  readonly lockKey: string;
  readonly fence: Fence;
  /** @throws LockLostError, LockNotHeldError */
  assertHeld(): void;
}

const setOptions = ['ttlMs'];
/** Redis' Lua takes so many arguments at once. */
const MOST_FIELDS = 1_000;
const RECORD = 'fence';

/** See {@link Guard}. */
export class FenceGuard implements Guard {
  readonly #parts: ClientParts;
  readonly #hold: GuardedHold;

  constructor(parts: ClientParts, hold: GuardedHold) {
    this.#parts = parts;
    this.#hold = hold;
  }

  async set(key: string, value: string | number, options: GuardSetOptions = {}): Promise<void> {
    checkKeys('guard.set', options, setOptions);
    const ttlMs = options.ttlMs === undefined ? 0 : checkTime('guard.set: ttlMs', options.ttlMs, 1);
    const operations = this.#operations(key);
    const given = checkValue('guard.set', value);
    await this.#write(key, operations.set(given, ttlMs));
  }

  async del(key: string, ...surplus: readonly unknown[]): Promise<void> {
    refuseSurplus(surplus, 'guard.del', 'one key');
    await this.#write(key, this.#operations(key).del());
  }

  async hset(key: string, fields: Readonly<Record<string, string | number>>): Promise<void> {
    if (!isObject(fields)) throw mistyped('guard.hset: fields', 'an object of names and values', fields);
    checkFields('guard.hset', Object.keys(fields));
    const args = Object.entries(fields).flatMap(([name, value]) => [name, checkValue('guard.hset', value)]);
    await this.#write(key, this.#operations(key).hset(args));
  }

  async hdel(key: string, ...fields: string[]): Promise<void> {
    checkFields('guard.hdel', fields);
    await this.#write(key, this.#operations(key).hdel(fields));
  }

  #operations(key: string): GuardOperations {
    if (key === this.#hold.lockKey) {
      throw new RangeError(`a guarded key must not be "${key}", the key of the lock itself`);
    }
    return new GuardOperations(key, this.#parts.topology.keyPrefix);
  }

  /** When the write before it to the same key has its answer, or was given up. */
  #write(key: string, command: GuardedCommand): Promise<void> {
    this.#hold.assertHeld();
    const { fence } = this.#hold;
    const { token } = fence;
    return shown(fence.write(key, (before, n) => this.#after(before, key, command({ token, n }))));
  }

  async #after(before: Promise<unknown> | undefined, key: string, command: ReturnType<GuardedCommand>): Promise<void> {
    if (before !== undefined) {
      await before;
      this.#hold.assertHeld();
    }
    const { name, fence } = this.#hold;
    const reply = await query(this.#parts, { name, key, primitive: 'fenced' }, command);
    if (reply.kind !== 'stale') return;
    const error = new StaleTokenError(name, key, fence.token, reply.token);
    this.#parts.reporter.staleWrite(error);
    throw error;
  }
}

function checkFields(method: string, fields: readonly unknown[]): void {
  if (fields.length === 0 || fields.length > MOST_FIELDS) {
    throw new RangeError(`${method} takes 1 to ${MOST_FIELDS} fields, got ${fields.length}`);
  }
  for (const field of fields) {
    const name = checkString(`${method}: a field`, field);
    if (name === RECORD) throw new RangeError(`${method}: the field "${RECORD}" is the guard's own`);
    checkWellFormed(`${method}: a field`, name);
  }
}

function checkValue(method: string, value: unknown): string | number {
  if (typeof value === 'string') return checkWellFormed(`${method}: a value`, value);
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  throw new TypeError(
    `${method}: a value must be a string or a finite number, got ${typeof value === 'number' ? value : typeof value}`,
  );
}
