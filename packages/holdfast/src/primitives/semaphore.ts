import type { SemaphoreInspection } from '../inspection/semaphore-inspection.js';
import type { HoldState } from './hold.js';
import type { TryResult } from './rlock.js';

/** Options of {@link LockClient.getSemaphore}. */
export interface SemaphoreOptions {
  /**
   * How many permits the semaphore has, 1 to 2^31, set by the first call that finds none set. It changes nothing where there is a semaphore, also one of
   * another size: see {@link RSemaphore.setPermits}. No call by this handle takes more at once (RangeError): it would wait without end. Where Redis has
   * fewer than this handle says, a call for more than those waits until the semaphore is made larger: `inspect()` tells how many there are. Absent: somebody must call {@link RSemaphore.trySetPermits}.
   */
  permits?: number | undefined;
}

/** Options of an acquisition of permits. */
export interface PermitOptions {
  /** Longest wait in milliseconds: one absolute deadline for everything the call does. Absent: without limit. */
  waitMs?: number | undefined;
  /**
   * How long the permits are had. A number: so many milliseconds, at least 100, never renewed. `never`: until they are given back, also when this process dies,
   * as with Redisson's semaphore; somebody has to see to it then. Absent: the client's `watchdogTimeoutMs`, renewed while they are held, so that
   * they come back by themselves when the process dies. Above the client's `limits.leaseMs`, which `never` is unless that is the default: LockLimitError.
   */
  leaseMs?: number | 'never' | undefined;
  /** Gives up waiting when it aborts: the call rejects with the signal's reason. It does not end a hold. */
  signal?: AbortSignal | undefined;
  /** Longest time these permits are renewed for, in milliseconds: at least 100. Only without `leaseMs`. Default: the client's. */
  maxHoldMs?: number | undefined;
}

/** Options of {@link RSemaphore.tryAcquire}, which takes its wait by position. */
export type TryPermitOptions = Omit<PermitOptions, 'waitMs'>;

/** Options of a section. */
export interface PermitSectionOptions extends PermitOptions {
  /** How many permits. Default 1. */
  permits?: number | undefined;
}

/** Permits that one call has got, all at once. Any code that has the object may give them back. */
export interface PermitHold extends AsyncDisposable {
  /** Name of the semaphore. */
  readonly name: string;
  /** How many permits it has now; 0 when it has given back all of them. */
  readonly permits: number;
  /** Aborts with a LockLostError when the permits are lost: before anybody else can have them. See `Hold.signal`. */
  readonly signal: AbortSignal;
  /** As `Hold.state`. */
  readonly state: HoldState;
  /** Milliseconds for which this process may still believe that it has the permits; 0 when they are lost or given back. */
  remainingMs(): number;
  /** As `Hold.assertHeld`. @throws LockLostError, LockNotHeldError. */
  assertHeld(): void;
  /**
   * As `Hold.extend`. Permits whose lease never ends have it already: the call asks Redis whether they are still had, and changes nothing.
   *
   * @throws as `Hold.extend`: LockLostError, LockNotHeldError when they were given back; TypeError, RangeError, LockLimitError before anything is sent;
   * LockUnavailableError, LockRefusedError.
   */
  extend(ms: number): Promise<void>;
  /**
   * Gives back so many of its permits; absent: all. When it has none left, a call does nothing.
   *
   * @throws RangeError for more than it has; LockLostError once, when they had been lost; LockUnavailableError when Redis did not answer within
   * `responseTimeoutMs`, or not before their lease was over (they are given back in the background), LockRefusedError when it refuses (then they come back when their lease is over;
   * those whose lease never ends stay taken until somebody gives them back by their ids).
   */
  release(permits?: number): Promise<void>;
}

/**
 * A counting semaphore: so many permits, shared by all processes that use the same Redis, of which each call takes one or more.
 *
 * - Who asked first is served first, and gets all that it wants at once: a call for many permits is not overtaken by calls for few.
 * - Permits end with their holder: they have a lease that is renewed while the process lives, and come back to the others when it dies.
 * - It knows no owner and no scope: a call inside another takes permits of its own, and waits for them. A section that needs a second permit of
 *   the same semaphore can wait for ever when all have one: take both at once.
 *
 * Its counter in Redis is that of Redisson's `RSemaphore` and `RPermitExpirableSemaphore`, which share the pool; see `docs/semaphores.md` for what
 * they do not share.
 *
 * Every method that talks to Redis rejects with LockUnavailableError when it does not answer in time, with LockRefusedError when it refuses (with
 * `redisCode` `NOTINITIALIZED` when nobody has set the permits), and with LockClientClosedError after `close()`. Bad arguments reject with
 * TypeError or RangeError before any I/O.
 */
export interface RSemaphore {
  /** As `getSemaphore` was given it. */
  readonly name: string;
  /**
   * Waits until it has so many permits. Give them back through what it resolves with, or by {@link RSemaphore.release}.
   *
   * @param permits - how many, all at once. Default 1.
   * @throws LockTimeoutError when they could not be had within `waitMs`; LockScopeError when the scope around the call ends while it waits; the signal's
   * reason when it aborts; LockLimitError, LockNotReplicatedError where the client asks for it (`limits`, `replicas`).
   */
  acquire(permits?: number, options?: PermitOptions): Promise<PermitHold>;
  /**
   * Takes so many permits if it can within `waitMs`, and answers null if it cannot.
   *
   * @param waitMs - in milliseconds: one absolute deadline for everything. 0 or absent: exactly one attempt, which overtakes nobody who waits.
   * @throws as {@link RSemaphore.acquire}, but for LockTimeoutError.
   */
  tryAcquire(permits?: number, waitMs?: number, options?: TryPermitOptions): Promise<PermitHold | null>;
  /**
   * Gives back so many permits of those that were acquired through this handle, oldest first, and those that were lost last. Those whose fixed
   * lease has ended need no release, and count no more; of others that were lost the latest hundred are remembered. For code that does not keep the {@link PermitHold}s
   * of the same handle: use one way or the other.
   *
   * @param permits - Default 1.
   * @throws LockNotHeldError when this handle has not so many, and then nothing is given back: a semaphore is made larger by
   * {@link RSemaphore.addPermits}; LockLostError when some of them had been lost.
   */
  release(permits?: number): Promise<void>;
  /**
   * Runs `fn` while holding a permit, and gives it back when `fn` has settled.
   *
   * @throws LockLostError when it was lost while `fn` ran, even if `fn` resolved. An error of `fn` wins over one of the release, which becomes its
   * `cause` or an `error` event. Before `fn` runs, as {@link RSemaphore.acquire}.
   */
  withPermits<T>(fn: (hold: PermitHold) => T | PromiseLike<T>): Promise<T>;
  /** With options: as many permits as they say; rejects with LockTimeoutError when they could not be had within `waitMs`. */
  withPermits<T>(options: PermitSectionOptions, fn: (hold: PermitHold) => T | PromiseLike<T>): Promise<T>;
  /**
   * As {@link RSemaphore.withPermits}, but answers `{ ran: false }` when there were too few for `waitMs` (absent or 0: one attempt).
   *
   * @throws as {@link RSemaphore.withPermits}, but for LockTimeoutError.
   */
  tryWithPermits<T>(options: PermitSectionOptions, fn: (hold: PermitHold) => T | PromiseLike<T>): Promise<TryResult<T>>;
  /** How many permits nobody has; 0 when there is no semaphore. Negative when it was made smaller than what is in use. */
  availablePermits(): Promise<number>;
  /**
   * Takes all permits that can be had at once without overtaking anybody, and answers how many: {@link RSemaphore.release} gives them back. Not
   * one step in Redis: permits that come back meanwhile may be left.
   *
   * @throws as {@link RSemaphore.tryAcquire}.
   */
  drainPermits(options?: TryPermitOptions): Promise<number>;
  /**
   * Sets how many permits there are, unless there is a semaphore of that name.
   *
   * @param permits - 0 to 2^31.
   * @param ttlMs - how long the semaphore lasts, in milliseconds; absent: until its key is deleted. No lease lasts longer, not even `never`: who has
   * permits has lost them by then, and an `extend` gets no more than what is left.
   * @returns whether it did. After LockUnavailableError false may mean that the call before has done it.
   */
  trySetPermits(permits: number, ttlMs?: number): Promise<boolean>;
  /**
   * Makes the semaphore larger, or with a negative number smaller. Where there is none, it begins with so many.
   *
   * With LockUnavailableError it may have been done, or be done a little later: look before you call again, or use {@link RSemaphore.setPermits}, which
   * may be repeated with the same number.
   *
   * @param permits - -2^31 to 2^31.
   * @throws LockRefusedError, `redisCode` `TOOMANYPERMITS`, when more than 2^52 would be free; nothing is changed then.
   */
  addPermits(permits: number): Promise<void>;
  /**
   * Makes the semaphore have so many permits, with those that are in use, whatever it had: of this library, and of Redisson's expirable semaphore.
   * What a client has taken from the counter by Redisson's plain `RSemaphore` is not known, and comes on top when it is given back.
   *
   * @param permits - 0 to 2^31.
   */
  setPermits(permits: number): Promise<void>;
  /** Who has permits and who waits for them, in order, with how many and for how long. For diagnosis; grows with both. */
  inspect(): Promise<SemaphoreInspection>;
}
