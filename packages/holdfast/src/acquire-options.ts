import { checkKeys, checkTime, MAX_TIME_MS, MIN_LEASE_MS, mistyped } from './options.js';
import { refuseSurplus } from './surplus.js';

/** Options of `lock`. */
export interface LockOptions {
  /**
   * Fixed lease in milliseconds, never renewed: at least 100, and LockLimitError above the client's `limits.leaseMs`. Absent: `watchdogTimeoutMs`, renewed
   * while held.
   */
  leaseMs?: number | undefined;
  /** Gives up waiting when it aborts: the call rejects with the signal's reason. It does not end a hold. */
  signal?: AbortSignal | undefined;
  /** Longest time this hold is renewed for, in milliseconds: at least 100. Only without `leaseMs`. Default: the client's. */
  maxHoldMs?: number | undefined;
}

/** Options of `acquire`, `tryAcquire`, `withLock`, `tryWithLock`. */
export interface AcquireOptions extends LockOptions {
  /**
   * Longest wait in milliseconds: one absolute deadline for everything the call does. Default: without limit for `acquire` and `withLock`, 0 (one attempt) for
   * the `try...` methods.
   */
  waitMs?: number | undefined;
  /**
   * The lock stays taken for so many milliseconds since this call got it, even if the hold is given back before. The release resolves at once;
   * the lock then rests in Redis, by nobody, also when the process ends, and calls that wait get it when the time is over. Also when the process
   * dies or the client is closed. Not when the hold is lost (but by the client's `maxHoldMs`) or forced. At most `leaseMs` or `maxHoldMs`, where those are given.
   * Not for read-write locks, for multi-locks with a side of one among their members, and for locks by majority: there the call rejects with TypeError.
   */
  minHoldMs?: number | undefined;
}

/** What `lock` knows: it waits without limit. */
const lockCallOptions = ['leaseMs', 'signal', 'maxHoldMs'];
/** What `tryLock` knows beside its times, which it takes by position. */
const tryLockCallOptions = ['signal'];
const acquireCallOptions = [...lockCallOptions, 'waitMs', 'minHoldMs'];

/** {@link AcquireOptions} as they were when they were checked. */
export interface CheckedOptions {
  readonly leaseMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  readonly maxHoldMs: number | undefined;
  readonly waitMs: number | undefined;
  readonly minHoldMs: number | undefined;
  /** `leaseMs` begins when a multi-lock has all its members: until then they are renewed. */
  readonly gathers?: true;
}

const nothingSaid: CheckedOptions = {
  leaseMs: undefined,
  signal: undefined,
  maxHoldMs: undefined,
  waitMs: undefined,
  minHoldMs: undefined,
};

/**
 * The only reader of the options of a call, and it reads each once: what answers differently the next time is not asked again.
 *
 * @throws TypeError or RangeError for anything a lock cannot be taken with.
 */
export function checkAcquire(
  options: Readonly<AcquireOptions> | undefined,
  method: string,
  known: readonly string[] = acquireCallOptions,
): CheckedOptions {
  if (options === undefined) return nothingSaid;
  checkKeys(method, options, known);
  const { waitMs, leaseMs, signal, maxHoldMs, minHoldMs } = options;
  const check = (option: string, ms: number | undefined, leastMs: number) => {
    if (ms !== undefined) checkTime(`${method}: ${option}`, ms, leastMs);
  };
  check('waitMs', waitMs, 0);
  check('leaseMs', leaseMs, MIN_LEASE_MS);
  check('maxHoldMs', maxHoldMs, MIN_LEASE_MS);
  check('minHoldMs', minHoldMs, 1);
  if (leaseMs !== undefined && maxHoldMs !== undefined) {
    throw new TypeError(`${method}: leaseMs is never renewed, so maxHoldMs cannot go with it`);
  }
  const mostMs = leaseMs ?? maxHoldMs ?? MAX_TIME_MS;
  if (minHoldMs !== undefined && minHoldMs > mostMs)
    throw new RangeError(`${method}: minHoldMs must be at most leaseMs or maxHoldMs, ${mostMs}, not ${minHoldMs}`);
  checkSignal(method, signal);
  return { leaseMs, signal, maxHoldMs, waitMs, minHoldMs };
}

/** Those of `lock`, which takes a lease in their place. @throws as {@link checkAcquire}. */
export function checkLock(
  given: number | LockOptions | undefined,
  surplus: readonly unknown[],
  method = 'lock',
): CheckedOptions {
  refuseSurplus(surplus, method, 'leaseMs, or options: { leaseMs, signal }');
  const options = given === undefined || typeof given === 'object' ? given : { leaseMs: given };
  return checkAcquire(options, method, lockCallOptions);
}

/** Those of `tryLock`, which takes its times by position. @throws as {@link checkAcquire}. */
export function checkTryLock(
  waitMs: number | undefined,
  leaseMs: number | undefined,
  options: { signal?: AbortSignal | undefined } | undefined,
  method = 'tryLock',
): CheckedOptions {
  if (options !== undefined) checkKeys(method, options, tryLockCallOptions);
  return checkAcquire({ signal: options?.signal, waitMs, leaseMs }, method);
}

/** Those of a method that takes nothing else. @throws as {@link checkAcquire}. */
export function checkAlone(
  options: AcquireOptions | undefined,
  surplus: readonly unknown[],
  method: string,
): CheckedOptions {
  refuseSurplus(surplus, method, 'one object of options: { waitMs, leaseMs, signal }');
  return checkAcquire(options, method);
}

/** @throws TypeError when it is given and none. */
export function checkSignal(method: string, signal: unknown): void {
  if (signal !== undefined && !isSignal(signal)) throw mistyped(`${method}: signal`, 'an AbortSignal', signal);
}

/** One of another realm counts. */
function isSignal(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'aborted' in value && 'throwIfAborted' in value;
}
