/** What users see of a client. */

import type { LockInspection } from './inspection/inspection.js';
import type { ListedLock, ListLocksOptions } from './inspection/lock-list.js';
import type { RCountDownLatch } from './primitives/count-down-latch.js';
import type { Election } from './primitives/election.js';
import type { MultiLock } from './primitives/multi-lock.js';
import type { RFencedLock } from './primitives/fenced-lock.js';
import type { ReadWriteLock, ReadWriteLockOptions } from './primitives/read-write-lock.js';
import type { Hold } from './primitives/hold.js';
import type { OncePerOptions } from './primitives/once-per.js';
import type { RLock, TryResult } from './primitives/rlock.js';
import type { RPermitExpirableSemaphore } from './primitives/expirable-semaphore.js';
import type { RSemaphore, SemaphoreOptions } from './primitives/semaphore.js';
import type { ShareOptions } from './primitives/share.js';
import type { SpinOptions } from './primitives/spin-options.js';
import type { LockClientEvents, LockClientListener } from './reports/events.js';
import type { LockClientStats } from './reports/stats.js';

/** Options of {@link LockClient.getLock}. */
export interface LockHandleOptions {
  /** An explicit owner, in place of scopes: the same owner, client and name re-enters. At most 256 characters, no white space. */
  owner?: string | undefined;
}

/** Options of {@link LockClient.getSpinLock}. */
export interface SpinLockOptions extends LockHandleOptions, SpinOptions {}

/** Options of {@link LockClient.close}. */
export interface CloseOptions {
  /** How long to wait for holds that are in use before they are taken back, in milliseconds: 0 to 2^31. Default 0. */
  drainMs?: number | undefined;
}

/** Options of {@link LockClient.connect}. */
export interface ConnectOptions {
  /** How long it may take, in milliseconds: at least 1; time in which the event loop stands still does not count. Default: the client's `responseTimeoutMs`. */
  timeoutMs?: number | undefined;
  /** Gives up when it aborts: the call rejects with the signal's reason. The client goes on connecting. */
  signal?: AbortSignal | undefined;
}

/** The members of a {@link LockClient}. */
export interface LockClientMembers extends AsyncDisposable {
  /** Random id of this client; its holds and messages carry it. */
  readonly clientId: string;
  /**
   * Whether it could lock now, as far as this client knows without asking: it is connected and authenticated, and messages reach it. A server that hangs goes
   * unnoticed until it is asked something: {@link connect} asks. On a Cluster every server that keeps locks counts, also where locks on the others go on
   * without it: {@link troubleWith} tells of one lock. No I/O.
   */
  readonly ready: boolean;
  /**
   * Why the server that keeps the lock `name`, or what else has that name, cannot be reached now, as far as this client knows without asking; undefined when it can, and
   * when nothing is known yet, as before the first call. So it tells an outage from a client that has yet to connect. No I/O.
   *
   * Not promised: that a call succeeds where there is no trouble.
   *
   * @throws TypeError or RangeError when the name cannot be used, as {@link getLock}.
   */
  troubleWith(name: string): Error | undefined;
  /**
   * A handle for the lock `name`. No I/O.
   *
   * @throws TypeError or RangeError when the name or the owner cannot be used: an empty name, one over 1 KiB or with broken surrogates, one
   * whose braces would put its keys into different Cluster slots (`{`, `a}`, `{}`; `order:{42}` is good), one that could be a key of holdfast or
   * Redisson (`holdfast_…`, `redisson_…`). For what users type: `` `upload:${encodeURIComponent(text)}` ``.
   */
  getLock(name: string, options?: LockHandleOptions): RLock;
  /**
   * A handle for the fair lock `name`: an {@link RLock} that is served strictly in the order in which calls arrived in Redis, over all processes and
   * their tasks. Each call costs its own commands, so it is slower than {@link getLock} under contention in one process; see `docs/fair-lock.md`. It
   * excludes other locks on the name. No I/O.
   *
   * @throws as {@link getLock}.
   */
  getFairLock(name: string, options?: LockHandleOptions): RLock;
  /**
   * As {@link getLock}, for a lock whose holds have fencing tokens. It excludes `getLock` on the same name; the two never re-enter each other. No I/O. Beside
   * Java's Redisson use `prefix`: behind a `keyPrefix` of ioredis tokens are counted in another key than Redisson's.
   *
   * @throws TypeError or RangeError as `getLock`.
   */
  getFencedLock(name: string, options?: LockHandleOptions): RFencedLock;
  /**
   * A handle for the spin lock `name`: an {@link RLock} that asks again and again, with pauses, where others wait for a message. It needs no second
   * connection and no right to subscribe; in return it is slower to notice a release, serves in no order, and may starve. See
   * `docs/spin-lock.md`. It excludes other locks on the name. No I/O.
   *
   * With `maxAttempts`, `lock`, `acquire` and `withLock` reject with LockTimeoutError after so many attempts, and the `try…` methods say no.
   *
   * @throws as {@link getLock}, and TypeError or RangeError for options that cannot work.
   */
  getSpinLock(name: string, options?: SpinLockOptions): RLock;
  /**
   * A handle for the read-write lock `name`. No I/O. See {@link ReadWriteLock} and `docs/read-write-lock.md`.
   *
   * @throws as {@link getLock}; TypeError when `writersFirst` is no boolean.
   */
  getReadWriteLock(name: string, options?: ReadWriteLockOptions): ReadWriteLock;
  /**
   * A handle for the counting semaphore `name`. No I/O. See {@link RSemaphore} and `docs/semaphores.md`. Not on the name of a latch: each counts the other down.
   *
   * @throws as {@link getLock}; TypeError or RangeError when `permits` is no number of permits.
   */
  getSemaphore(name: string, options?: SemaphoreOptions): RSemaphore;
  /**
   * A handle for the semaphore `name`, whose permits have ids and leases of their own. No I/O. See {@link RPermitExpirableSemaphore} and
   * `docs/semaphores.md`.
   *
   * @throws as {@link getSemaphore}.
   */
  getPermitExpirableSemaphore(name: string, options?: SemaphoreOptions): RPermitExpirableSemaphore;
  /**
   * A handle for several locks that are had together or not at all. No I/O. See {@link MultiLock} and `docs/multi-lock.md`.
   *
   * @param members - names, for the locks that `getLock` gives, and locks that this or another client has made for one name each: by the same copy
   * of the package, not its CommonJS form beside ESM. In any order; one that is named twice counts once.
   * @throws TypeError or RangeError when a member is none, when there are none, and when two different locks have the same key.
   */
  getMultiLock(members: readonly (RLock | string)[]): MultiLock;
  /**
   * A handle for the countdown latch `name`. No I/O. See {@link RCountDownLatch} and `docs/latch.md`. Not on the name of a semaphore: each counts the other down.
   *
   * @throws as {@link getLock}.
   */
  getCountDownLatch(name: string): RCountDownLatch;
  /**
   * The election `name`: of all candidates one leads at a time. No I/O. See {@link Election} and `docs/election.md`.
   *
   * @throws as {@link getLock}.
   */
  election(name: string): Election;
  /**
   * One computes, the rest get it: of all who ask for `name` at the same time, in whatever process, one runs its `fn`, and the others wait for the
   * value; who comes within `ttlMs` finds it. When the one that computes dies or fails, the next one computes. See `docs/share.md`.
   *
   * It computes under the lock `name`, as {@link getLock} gives it. The value is JSON unless there is a `codec`.
   *
   * Not promised: that `fn` runs only once for a value. The lock may be lost, Redis may lose the value, or refuse it (then the event `error` says so).
   *
   * @throws what `fn` throws, to the one whose `fn` it was; SharedFailureError with `errorTtlMs`; TypeError or RangeError when the value cannot be
   * shared, or the options cannot work; else as {@link RLock.withLock}.
   */
  share<T>(name: string, options: ShareOptions<T>): Promise<T>;
  /**
   * Runs `fn` at most once in every period, among all processes that use the same Redis and name, whatever their clocks say: a job that many
   * replicas start by a timer of their own. Answers `{ ran: false }` where it has run, or runs, and where anybody has a lock of that name: also the
   * code around the call. Unlike {@link share}, it never re-enters. See `docs/recipes/cron.md`.
   *
   * A period begins with a run, by Redis' clock, and not at a full hour: a timer that comes a little early after the last run is turned away. So
   * let `periodMs` be a little shorter than the time between two ticks. It is used up also when `fn` fails (see
   * {@link OncePerOptions.afterError}), when the client is closed meanwhile, and when the process dies. `fn` is given the hold of the lock `name`; a run that takes longer than the
   * period goes on, and no other begins before it has ended. Nothing is to be cleaned up; `getLock(name).forceUnlock()` lets it run again at once.
   *
   * Not promised: that it runs in every period. And not that it runs only once when Redis loses data, or when the lock is lost (then the call
   * rejects with LockLostError).
   *
   * @param name - a name for this purpose: its lock is taken all the time.
   * @param periodMs - at least 100 ms, at most 2^31 (about 24.8 days).
   * @throws what `fn` throws; LockLimitError when `periodMs` is above the client's `limits.leaseMs`; else as {@link RLock.tryWithLock}.
   */
  oncePer<T>(
    name: string,
    periodMs: number,
    fn: (hold: Hold) => T | PromiseLike<T>,
    options?: OncePerOptions,
  ): Promise<TryResult<T>>;
  /**
   * Resolves when the client is ready to lock: connected, authenticated, and heard by message, and not to a replica. No lock needs it, since the first one connects;
   * good for warming up, for a readiness probe, and for a process that should not start without Redis. A client that is
   * ready hears from each server once more, unless that has answered within the last second: one that hangs breaks no connection. May be called as often as you like; calls share what is asked.
   *
   * Not promised: that it stays ready. See {@link ready}.
   *
   * @throws LockUnavailableError when it is not ready within `timeoutMs`, or a server does not answer, and at once when it cannot be as things are: a wrong password, a
   * certificate that is not accepted, a database that does not exist. LockClientClosedError after `close()`; the signal's reason when it aborts.
   */
  connect(options?: ConnectOptions): Promise<void>;
  /**
   * Runs `fn` as one thread: imperative `lock`, `tryLock` and `unlock` directly inside count up and down, through any handle. Branches of a
   * `Promise.all` that all use `withLock` still exclude each other; beside one that has the lock by `lock` they re-enter. Returns what `fn` returns;
   * for a thenable, which is asked for its result inside, a promise of that.
   *
   * Locks that are still held when `fn` has settled are reported as `lost` and `leak`, aborted with reason `scope-ended`, and not renewed any more.
   * With `releaseOnScopeEnd` they are given back instead, and nothing is reported.
   *
   * @throws TypeError when `fn` is no function; what `fn` throws.
   */
  run<T>(fn: () => PromiseLike<T>): Promise<T>;
  /** The same for what is no thenable: returns it at once. */
  run<T>(fn: () => T): T;
  /**
   * Runs `fn` outside all scopes: start servers, timers and listeners in here, else they keep the scope for their whole life. Returns as `run`.
   *
   * @throws as `run`.
   */
  exit<T>(fn: () => PromiseLike<T>): Promise<T>;
  /** The same for what is no thenable: returns it at once. */
  exit<T>(fn: () => T): T;
  /**
   * What Redis knows of a lock: owner, hold count, remaining lease, queue. For diagnosis; grows with the queue.
   *
   * @throws TypeError or RangeError when the name cannot be used, as {@link getLock}; LockRefusedError when Redis refuses, or the key is no lock;
   * LockUnavailableError when it does not answer within `responseTimeoutMs`; LockClientClosedError.
   */
  inspect(name: string): Promise<LockInspection>;
  /**
   * The locks that are held now, one after the other, from every server that keeps locks: locks of this client's `prefix` and of all kinds, also
   * Redisson's. They are looked for with SCAN while you read, so stopping early costs nothing more, and a large database without a `prefix` takes long.
   *
   * Not promised: an instant. What is taken or given back while you read may be missing or may be there; no lock comes twice. A lock that nobody holds
   * is none, even if some wait for it.
   *
   * @throws TypeError or RangeError at once for options that cannot work; reading rejects with LockUnavailableError or LockRefusedError, as
   * `inspect`, and with LockClientClosedError. Of several servers one that does not answer makes it reject behind the locks of all others.
   */
  listLocks(options?: ListLocksOptions): AsyncGenerator<ListedLock, void, undefined>;
  /** Counters and distributions since the client was created. Also on `node:diagnostics_channel`, see `docs/operations.md`. */
  stats(): LockClientStats;
  /**
   * Adds a listener; see {@link LockClientEvents}. No event needs one. From the 101st of one event on Node.js warns of a leak.
   *
   * @throws RangeError when there is no such event, TypeError when the listener is no function.
   */
  on<E extends keyof LockClientEvents>(event: E, listener: LockClientListener<E>): this;
  /** Adds a listener for the next time only. @throws as `on`. */
  once<E extends keyof LockClientEvents>(event: E, listener: LockClientListener<E>): this;
  /** Removes a listener. @throws as `on`. */
  off<E extends keyof LockClientEvents>(event: E, listener: LockClientListener<E>): this;
  /**
   * Ends the client: waiting and new calls reject with LockClientClosedError; holds in use have `drainMs` to be released (calls inside them
   * still re-enter), then they are aborted with reason `closed` and given back; connections of ours are closed, yours stays open. Leaves no timer, listener or socket;
   * but where Redis was gone, timers of ioredis, which end by themselves within 200 ms.
   * What has a `minHoldMs`, or is a run of `oncePer`, stays taken in Redis until that is over.
   *
   * Another call resolves with the first: that one's `drainMs` goes on, and its own is checked and not used.
   *
   * Not promised when Redis does not answer. What gives locks back is then written behind what took them, also for calls that have rejected before, and
   * Redis reads both when it goes on, unless the connection was lost or very much had been sent to it, or Redis was paused (`CLIENT PAUSE`, a planned
   * failover): what waits in a pause is dropped with its connection. Else leases run out by themselves.
   *
   * @throws TypeError or RangeError for options that cannot work: then nothing is closed.
   */
  close(options?: CloseOptions): Promise<void>;
}
