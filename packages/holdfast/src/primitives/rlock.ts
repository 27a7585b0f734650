import type { AcquireOptions, LockOptions } from '../acquire-options.js';
import type { Hold } from './hold.js';

/** Result of {@link RLock.tryWithLock}. */
export type TryResult<T> = { ran: true; value: T } | { ran: false };

/**
 * A re-entrant lock on a name, shared by all processes that use the same Redis. A handle is cheap and keeps no connection; two handles of
 * one client on one name are the same lock.
 *
 * Which calls re-enter and which wait is decided by scope: see `docs/semantics.md`. In short: inside `withLock` nested calls re-enter, branches
 * exclude each other; imperative calls directly in `client.run` count up and down; outside every scope each call is a stranger to the next.
 *
 * `H` is what a hold of the lock is: {@link Hold}, or one that can do more.
 *
 * Every method that talks to Redis rejects with `LockUnavailableError` when it does not answer in time, with `LockRefusedError` when it
 * refuses, and with `LockClientClosedError` after `close()`. Bad arguments reject with `TypeError` or `RangeError` before any I/O.
 *
 * Every method that takes the lock rejects besides with `LockScopeError` when its scope ends while it waits, with `LockLostError` inside a hold of this
 * lock that was lost, with the signal's reason when that aborts, and, where the client or the lock asks for it, with `LockLimitError` (`limits`),
 * `LockDeadlockError` (`deadlocks`), `LockNotReplicatedError` (`replicas`) or `LockUpgradeError` (to write inside a read hold).
 */
export interface RLock<H extends Hold = Hold> {
  /** The lock's name, as `getLock` was given it. Its key in Redis, behind the client's `prefix` and the `keyPrefix` of ioredis, if there are any. */
  readonly name: string;
  /**
   * Waits until it holds the lock, without limit while Redis answers.
   *
   * @param options - lease in milliseconds, or options. With a lease the lock is never renewed; without, it is renewed until `unlock` or the client's `maxHoldMs`.
   * @throws LockScopeError when another `lock()` on the name is pending in the same `client.run`, when its scope ends while it waits, and outside
   * `client.run` with `strictScopes` (but to re-enter, or with an `owner`); LockLostError inside a hold of this lock that was lost; the signal's reason when it aborts; else see {@link RLock}.
   */
  lock(options?: number | LockOptions): Promise<void>;
  /**
   * Takes the lock if it can within `waitMs`, and answers whether it did.
   *
   * @param waitMs - in milliseconds: one absolute deadline for everything: connecting, asking, waiting. 0 or absent: exactly one attempt.
   * @param leaseMs - fixed lease, in milliseconds; absent: renewed until `unlock` or the client's `maxHoldMs`.
   * @throws as {@link RLock.lock}.
   */
  tryLock(waitMs?: number, leaseMs?: number, options?: { signal?: AbortSignal | undefined }): Promise<boolean>;
  /**
   * Undoes the latest `lock` or `tryLock` of this scope; outside `client.run`, of this handle, or of the explicit owner.
   *
   * @throws LockNotHeldError when there is none; LockLostError, once, when that hold had been lost; so too when its scope has ended meanwhile, and the
   * lock is given back then. Outside `client.run` a hold with a
   * lease that ran out is forgotten when a later call gets the lock; one without is not, so each such `lock` needs its `unlock`, lost or not.
   * LockUnavailableError when Redis did not answer within `responseTimeoutMs`, or not before the lease was over: the release goes on in the background. LockRefusedError when it refuses: the
   * lock stays until its lease is over. Either way the lease is not renewed any more.
   */
  unlock(): Promise<void>;
  /**
   * Waits for the lock and hands it over as an object that belongs to no scope.
   *
   * @throws LockTimeoutError when it stayed busy for `waitMs` (absent: no limit); LockScopeError when the scope around the call ends while it waits;
   * LockLostError inside a hold of this lock that was lost; the signal's reason when it aborts; else see {@link RLock}.
   */
  acquire(options?: AcquireOptions): Promise<H>;
  /**
   * As {@link RLock.acquire}, but answers null when the lock stayed busy. `waitMs` absent or 0: exactly one attempt.
   *
   * @throws as {@link RLock.acquire}, but for LockTimeoutError.
   */
  tryAcquire(options?: AcquireOptions): Promise<H | null>;
  /**
   * Runs `fn` while holding the lock, and gives it back when `fn` has settled. Calls inside `fn` re-enter.
   *
   * @throws LockLostError when the lock was lost while `fn` ran, even if `fn` resolved; or before, and then `fn` does not run. An error of
   * `fn` wins over one of the release, which is written into it as its `cause`, or is an `error` event where it has a cause, cannot be written to (frozen), or is no Error; an error object that several
   * sections throw keeps the first. When `fn` has resolved, also as {@link Hold.release}. Before `fn` runs, as {@link RLock.acquire}: LockScopeError when the scope around the call ends while it waits.
   */
  withLock<T>(fn: (hold: H) => T | PromiseLike<T>): Promise<T>;
  /** With options: rejects with LockTimeoutError when the lock stayed busy for `waitMs`. */
  withLock<T>(options: AcquireOptions, fn: (hold: H) => T | PromiseLike<T>): Promise<T>;
  /**
   * As {@link RLock.withLock}, but answers `{ ran: false }` when the lock is busy: at once, or for the whole of `waitMs`.
   *
   * @throws as {@link RLock.withLock}, but for LockTimeoutError.
   */
  tryWithLock<T>(fn: (hold: H) => T | PromiseLike<T>): Promise<TryResult<T>>;
  /** With options: waits for as long as `waitMs`. */
  tryWithLock<T>(options: AcquireOptions, fn: (hold: H) => T | PromiseLike<T>): Promise<TryResult<T>>;
  /** Whether the lock is held, by this client or another one. */
  isLocked(): Promise<boolean>;
  /** Whether this scope is inside the lock, and Redis agrees. Outside scopes: whether this handle's hold is. */
  isHeldByCurrentScope(): Promise<boolean>;
  /**
   * The hold count in Redis when it is held by this scope (see {@link RLock.isHeldByCurrentScope}), else 0. Of read-write locks and locks by majority Redis
   * keeps none: there the client counts, and Redis confirms that the lock is held.
   */
  getHoldCount(): Promise<number>;
  /** Remaining lease in Redis in milliseconds; -2 when the lock is free, -1 when it has no expiry, as PTTL. */
  remainTimeToLive(): Promise<number>;
  /**
   * Takes the lock from its present owner, if it has one, also from a lock of another kind with the same name; that of a `readLock()` only from readers, that of a
   * `writeLock()` not from them. A hold of this process is aborted before this resolves, one of another by message; a spin lock of another process finds out when it renews.
   *
   * Not promised: that it is not carried out after it has rejected with LockUnavailableError, when the connection is your own client and
   * delivers the command late.
   *
   * @returns whether it was held.
   */
  forceUnlock(): Promise<boolean>;
}
