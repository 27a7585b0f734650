import { MAX_TIME_MS, shapeOf } from '@holdfast/core';
import type { Cluster, Redis, RedisOptions } from 'ioredis';

/** The longest lease and wait, and the most permits of one semaphore. */
export { MAX_TIME_MS, MOST_PERMITS } from '@holdfast/core';

/**
 * How a client reaches Redis: a `redis://` or `rediss://` URL, ioredis options, or a client of your own, which is never closed.
 *
 * A plain `Redis` of yours is used for commands, on the connection that it has. Never use that for `SELECT`, or `RESET` outside database 0 (locks would go to the other database, where nobody
 * sees those of the first: two owners), for a `MULTI` that stays open (`pipeline: false`), for `SUBSCRIBE` or `call('MONITOR')`, or for commands that block, such as
 * `BLPOP`, which renewals wait behind. A connection of its own avoids all of that: pass `redis.duplicate()`, options or a URL. One behind Sentinel, or a `Cluster`, is a template: its options are copied, and it need not
 * even be connected, because there we have to choose retry options and to drop connections. See `docs/topologies.md`.
 */
export type RedisInput = string | RedisOptions | Redis | Cluster;

/** How many replicas must have an acquisition before it counts; see {@link LockClientOptions.replicas}. */
export interface ReplicaOptions {
  /** At least this many replicas: 1 to 1 000. */
  min: number;
  /** How long they have, in milliseconds: at least 1, and below `attemptTimeoutMs`. Default half of that. */
  timeoutMs?: number | undefined;
}

/**
 * How much a client may have at once; see {@link LockClientOptions.limits}. They are fuses against code that runs away, such as a loop that
 * forgets to await: a call above one rejects with LockLimitError before anything is sent, and nothing else is disturbed. Each is at least 1.
 */
export interface LimitOptions {
  /** Calls that have no answer yet and are not inside the lock they ask for, on all locks together. Default 100 000. */
  waiters?: number | undefined;
  /** Names held or asked for; a name counts once for each kind of lock that is held or asked for under it. Default 100 000. */
  locks?: number | undefined;
  /** Open acquisitions of one lock inside each other. Default 1 000. */
  depth?: number | undefined;
  /**
   * Longest lease that a call may ask for, in milliseconds: how long a lock may stay with a holder that has crashed. By whatever name: `leaseMs`,
   * `minHoldMs`, `hold.extend(ms)`, `updateLeaseTime`, the period of `oncePer`. The lease `never` of permits is above every limit but the default.
   * Not below `watchdogTimeoutMs`. Default 2^31, the longest there is.
   */
  leaseMs?: number | undefined;
}

/** Options of {@link createLockClient}. All times are whole milliseconds, at most 2^31 (about 24.8 days). */
export interface LockClientOptions {
  /** How to reach Redis. */
  redis: RedisInput;
  /**
   * Put in front of the name of every lock: with `app:` lock `x` is the key `app:x`, and the same lock as `app:x` of a client without. Names in
   * events, errors and `RLock.name` are without it. Behind the `keyPrefix` of an ioredis client of yours, if that has one too. Up to 256
   * bytes. Default: none.
   */
  prefix?: string | undefined;
  /**
   * Says who holds and who waits, to `inspect`, `listLocks` and the command line of others: name, host, process id, {@link meta}, and since when. Up to 128
   * characters. It is kept in Redis under one key for each client (`holdfast_client:{<client id>}`, see `docs/security.md`) while the client is in use, and
   * is the name of its own connections in `CLIENT LIST`. Default: with `meta`, `<host>:<process id>`; without, the client says nothing of itself.
   */
  clientName?: string | undefined;
  /** Said beside {@link clientName}, such as a version or a region: at most 16 texts of up to 256 characters, under keys of at most 128. Nothing secret. Default: none. */
  meta?: Readonly<Record<string, string>> | undefined;
  /** Lease of acquisitions without `leaseMs`; renewed every third of it while the hold lives. At least 100. Default 30 000. */
  watchdogTimeoutMs?: number | undefined;
  /** Longest time a watched hold is renewed for; then its lease runs out and it is lost with reason `max-hold`. At least 100. Default: no limit. */
  maxHoldMs?: number | undefined;
  /** A hold that is older than this is reported as `held-long`, once, an eighth of it late at most. Nothing else happens to it. At least 1. Default: none is. */
  heldWarnMs?: number | undefined;
  /**
   * How long a single attempt may take, connecting included, and how long Redis may owe an answer before it counts as not reachable; a connection of ours that is
   * silent for three times this is replaced. At least 1. Default 1 000.
   */
  attemptTimeoutMs?: number | undefined;
  /**
   * How long these wait for any answer of Redis before they reject: calls without `waitMs` (while Redis is silent), `unlock` and `release`, the queries, each page of `listLocks`, each
   * step of `observe`. Also the default of `connect`. At least 1. Default 10 000.
   */
  responseTimeoutMs?: number | undefined;
  /**
   * Lease of a lock that was handed over by message, until its new owner first renews it, a third of it later. An outage that begins before and lasts longer
   * than two thirds of it costs the lock; a waiter that crashed costs the others this long. At least 100. Default 3 000.
   */
  claimLeaseMs?: number | undefined;
  /** How often a waiting process asks again, as a safety net below the messages. Default 1 500; more than 250 below `claimLeaseMs`. The same in all clients of a lock. */
  reaskMs?: number | undefined;
  /**
   * `queue`: releases name the next owner (fast, fair, holdfast only). `redisson`: releases are announced on Redisson's channel and all
   * waiters try again; use it on every process when Java services share the names. Default `queue`.
   */
  wakeup?: 'queue' | 'redisson' | undefined;
  /**
   * How `getFencedLock` makes its tokens. `time`: at least Redis' clock in microseconds, 16 digits, so that none comes again when the counter is lost;
   * the counter goes 24 to 27 h behind its last token. `count`: one more than the counter, as Redisson does, whose counter it is: small numbers with gaps,
   * which begin again at 1 when Redis loses its data; the counter never goes. All clients of a lock should have the same. Default `time`; with
   * `wakeup: 'redisson'` it is `count`, since a counter that Java shares would be lifted for good.
   */
  tokens?: 'time' | 'count' | undefined;
  /**
   * Confirm every acquisition on replicas (`WAIT`, on the connection that ran it) before the caller gets it; too few in time: it is undone
   * and rejects with LockNotReplicatedError. Costs a round trip to the replicas, during which the other commands of this client to the same
   * server wait. Makes it unlikely, not impossible, that a failover forgets a lock: replication stays asynchronous, and renewals are not
   * waited for. Re-entry and local handoff take over what was confirmed; a longer lease that they ask for is as a renewal. Default: no confirmation.
   */
  replicas?: ReplicaOptions | undefined;
  /** How much the client may have at once; each limit has a default of its own. */
  limits?: LimitOptions | undefined;
  /**
   * What becomes of a call that closes a circle: it waits for a lock of this client whose holder waits for it, without end. `report`: the event `deadlock` tells,
   * and it waits. `refuse`: it also rejects with LockDeadlockError, with nothing sent. Default `report`.
   */
  deadlocks?: 'report' | 'refuse' | undefined;
  /**
   * Imperative `lock` and `tryLock` that are not directly inside `client.run` reject with LockScopeError, unless they re-enter the lock of a section around them or the handle has
   * an `owner`. `unlock`, `acquire` and `withLock` are not affected. Default false.
   */
  strictScopes?: boolean | undefined;
  /**
   * Release what `lock()` and `tryLock()` leave open in a scope, as `client.run`, instead of letting its lease run out; it is not reported then. Default false; see
   * `docs/semantics.md`.
   */
  releaseOnScopeEnd?: boolean | undefined;
}

/** Shortest lease: below it the drift margin and one slow round trip would eat the lease. */
export const MIN_LEASE_MS = 100;

/** @throws TypeError when `value` is not a number, RangeError when it is not a whole number in `[min, MAX_TIME_MS]`. */
export function checkTime(what: string, value: unknown, min: number): number {
  return checkWhole(what, value, min, MAX_TIME_MS, 'number of milliseconds');
}

/** @throws TypeError when `value` is not a number, RangeError when it is not a whole number in `[min, max]`. */
export function checkCount(what: string, value: unknown, max = Number.MAX_SAFE_INTEGER, min = 1): number {
  return checkWhole(what, value, min, max, 'number');
}

function checkWhole(what: string, value: unknown, min: number, max: number, number: string): number {
  if (typeof value !== 'number') throw mistyped(what, `a ${number}`, value);
  if (!Number.isSafeInteger(value) || value < min || value > max)
    throw new RangeError(`${what} must be a whole ${number} between ${min} and ${max}, got ${value}`);
  return value;
}

/** What is thrown for a value of another type. Its stack, of which ten lines are shown as a rule, begins where it is thrown. */
export function mistyped(what: string, type: string, value: unknown): TypeError {
  const error = new TypeError(`${what} must be ${type}, got ${shapeOf(value)}`);
  Error.captureStackTrace(error, mistyped);
  return error;
}

/** @throws TypeError when it is no string. */
export function checkString(what: string, value: unknown): string {
  if (typeof value !== 'string') throw mistyped(what, 'a string', value);
  return value;
}

/** Whether it is an object that says something by its own members: those of a Map or an AbortSignal are none, and it would be passed over. */
export function isObject(value: unknown): value is object {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    (shapeOf(value) === 'object' || Object.keys(value).length > 0)
  );
}

/** @throws TypeError when `options` is no object, or has a key that is not `known`: a misspelt option must not be passed over. */
export function checkKeys(what: string, options: unknown, known: readonly string[]): void {
  if (!isObject(options)) {
    const order = typeof options === 'function' && /with/i.test(what) ? ': the function to run comes last' : '';
    throw new TypeError(`${what}: options must be a plain object, got ${shapeOf(options)}${order}`);
  }
  for (const key of Object.keys(options)) {
    if (!known.includes(key)) throw new TypeError(`${what}: unknown option "${key}"; known: ${known.join(', ')}`);
  }
}

/** What `T` may have, for {@link checkKeys}: it does not compile when a key of `T` is left out. */
export function keysOf<T>(known: Record<keyof T, true>): readonly string[] {
  return Object.keys(known);
}

/** @throws TypeError when what is to be run is no function: before anything is done for it. */
export function checkFunction(method: string, fn: unknown): void {
  if (typeof fn !== 'function') throw new TypeError(`${method} needs a function to run, got ${shapeOf(fn)}`);
}

/** @throws TypeError when it is not true or false. */
export function checkFlag(what: string, value: unknown): boolean {
  if (typeof value !== 'boolean') throw mistyped(what, 'true or false', value);
  return value;
}

/** @throws RangeError when it is none of those that there are. */
export function checkChoice<T extends string>(what: string, value: T, choices: readonly T[]): void {
  if (!choices.includes(value))
    throw new RangeError(`${what} must be ${choices.map((one) => `'${one}'`).join(' or ')}`);
}

/** @throws TypeError or RangeError when it cannot name an owner. */
export function checkOwner(method: string, owner: unknown): string | undefined {
  return owner === undefined ? undefined : checkId(`${method}: owner`, owner);
}

/** @throws TypeError or RangeError when it can name nobody. */
export function checkId(what: string, given: unknown): string {
  const id = checkString(what, given);
  if (!/^[^\s\p{Cc}\p{Cs}]{1,256}$/u.test(id)) {
    throw new RangeError(`${what} must be 1 to 256 characters without white space or control characters`);
  }
  return id;
}

/** What Redis would be sent in place of any other text is not that text. */
export function checkWellFormed(what: string, text: string): string {
  if (!text.isWellFormed()) throw new RangeError(`${what} must be well-formed Unicode, without lone surrogates`);
  return text;
}
