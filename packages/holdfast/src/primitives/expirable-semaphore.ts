import type { SemaphoreInspection } from '../inspection/semaphore-inspection.js';
import type { PermitHold, TryPermitOptions } from './semaphore.js';

/** Options of an acquisition of permits with ids. */
export interface PermitIdOptions {
  /** Longest wait in milliseconds, until the permits are had; absent: without limit, while Redis answers. */
  waitMs?: number | undefined;
  /** Gives up waiting when it aborts: the call rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
}

/** Options of {@link RPermitExpirableSemaphore.tryAcquire}, which takes its wait by position. */
export type TryPermitIdOptions = Omit<PermitIdOptions, 'waitMs'>;

/** For how long a permit with an id is had, in milliseconds, by the clock of Redis; `never`: until it is given back. */
export type PermitLease = number | 'never';

/**
 * A semaphore whose permits have ids, as Redisson's `RPermitExpirableSemaphore`: each permit has a lease of its own, and comes back by itself when that has
 * ended. No process holds it: whoever knows its id gives it back or changes its lease, in any process, also when the one that acquired it is gone. Nothing renews
 * it, and nobody is told when its lease has ended: for work that is to stop then, {@link RPermitExpirableSemaphore.adopt} makes a hold of it, with a signal.
 *
 * Calls are served in the order in which they came, as those of {@link RSemaphore}, with which it shares the permits of a name: both may be used at once.
 * To `stats()` and the diagnostics channels a call is a hold that ends when the ids are issued: how long permits with ids are had is measured nowhere.
 *
 * Every method that talks to Redis rejects with LockUnavailableError when it does not answer in time, with LockRefusedError when it refuses (with
 * `redisCode` `NOTINITIALIZED` when nobody has set the permits), and with LockClientClosedError after `close()`. Bad arguments reject with
 * TypeError or RangeError before any I/O. A command that is sent twice changes nothing twice.
 */
export interface RPermitExpirableSemaphore {
  /** As `getPermitExpirableSemaphore` was given it. */
  readonly name: string;
  /**
   * Waits until it has a permit, and resolves with its id.
   *
   * When the answer of Redis is lost for good (LockUnavailableError), the permit is given back as far as that can be done; what cannot be given back ends with its
   * lease. One that never ends may then be left: see {@link setPermits}.
   *
   * @param leaseMs - from when it is had; at least 100. Default `never`, as in Redisson.
   * @throws LockTimeoutError when there was none within `waitMs`; LockScopeError when the scope around the call ends while it waits; the signal's reason
   * when it aborts; LockLostError when it was lost on the way; LockLimitError, LockNotReplicatedError where the client asks for it (`limits`, `replicas`).
   */
  acquire(leaseMs?: PermitLease, options?: PermitIdOptions): Promise<string>;
  /** As {@link acquire}, for several at once: each has an id and a lease of its own. At most 1,000. */
  acquireMany(permits: number, leaseMs?: PermitLease, options?: PermitIdOptions): Promise<string[]>;
  /**
   * Takes a permit if it can within `waitMs`, and answers null if it cannot.
   *
   * @param waitMs - in milliseconds; 0 or absent: exactly one attempt, which overtakes nobody who waits.
   * @throws as {@link acquire}, but for LockTimeoutError.
   */
  tryAcquire(waitMs?: number, leaseMs?: PermitLease, options?: TryPermitIdOptions): Promise<string | null>;
  /** As {@link tryAcquire}, for several at once; an empty list when they could not be had. */
  tryAcquireMany(
    permits: number,
    waitMs?: number,
    leaseMs?: PermitLease,
    options?: TryPermitIdOptions,
  ): Promise<string[]>;
  /**
   * Takes over the permit of an id, or those of several, all of them or none, as a hold of this process: it is renewed while it is held, its signal aborts
   * when it is lost, and the permits come back when it is released, or when the process has died. The ids stand for nothing from then on, so of
   * several that know an id one gets the permit. It waits for nobody.
   * Only for ids that {@link acquire} has resolved with: that of a hold, as {@link inspect} tells it, takes its permit away from it.
   *
   * @param options - as of {@link RSemaphore.tryAcquire}: the lease is that of the hold, whatever was left of that of the permit.
   * @throws LockNotHeldError when an id stands for no permit: then nothing is taken over; RangeError for an id of another shape; the signal's reason when
   * it aborts, and LockUnavailableError when Redis does not answer in time: then the permit may have been taken over, and is given back.
   */
  adopt(id: string | readonly string[], options?: TryPermitOptions): Promise<PermitHold>;
  /**
   * Gives a permit back, or several, all of them or none.
   *
   * @throws LockNotHeldError when an id stands for no permit: it was given back, its lease has ended, or there never was one. Then nothing is given back. RangeError
   * when it is none that {@link acquire} could have resolved with, and so of every method that takes an id.
   */
  release(id: string | readonly string[]): Promise<void>;
  /**
   * As {@link release}, and answers whether the permit was there to be given back.
   *
   * @throws RangeError for an id of another shape.
   */
  tryRelease(id: string): Promise<boolean>;
  /** Of several: how many are back, which is all of them or 0. */
  tryRelease(ids: readonly string[]): Promise<number>;
  /**
   * Sets the lease of a permit anew, from now: longer or shorter. Answers false when the id stands for none.
   *
   * @throws RangeError for an id of another shape, and a lease that is none.
   */
  updateLeaseTime(id: string, leaseMs: PermitLease): Promise<boolean>;
  /**
   * What is left of the lease of a permit, in milliseconds.
   *
   * @throws LockNotHeldError when the id stands for none; RangeError for an id of another shape.
   */
  getLeaseTime(id: string): Promise<PermitLease>;
  /** How many permits nobody has; 0 when there is no semaphore. Negative when it was made smaller than what is in use. */
  availablePermits(): Promise<number>;
  /** How many are in use: with ids, by holds of {@link RSemaphore}, and by Redisson's expirable semaphore. */
  acquiredPermits(): Promise<number>;
  /** How many there are, free and in use. */
  getPermits(): Promise<number>;
  /** As {@link RSemaphore.trySetPermits}. */
  trySetPermits(permits: number, ttlMs?: number): Promise<boolean>;
  /** As {@link RSemaphore.setPermits}. */
  setPermits(permits: number): Promise<void>;
  /** As {@link RSemaphore.addPermits}. */
  addPermits(permits: number): Promise<void>;
  /** As {@link RSemaphore.inspect}; each permit with an id is a holder of its own, taken by the client that acquired it. */
  inspect(): Promise<SemaphoreInspection>;
}
