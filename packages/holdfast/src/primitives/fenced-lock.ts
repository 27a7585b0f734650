import type { LockOptions } from '../acquire-options.js';
import type { Guard } from './guard.js';
import type { Hold } from './hold.js';
import type { RLock } from './rlock.js';

/** A hold of a lock that has fencing tokens. */
export interface FencedHold extends Hold {
  /**
   * A number below 2^53 that is higher than that of every hold of this lock before, and the same for holds that re-enter each other. Hand it on with what
   * you write: a store that remembers the highest token it has seen can refuse a holder that was stopped for longer than its lease.
   *
   * By time, which is the default, it has 16 digits and is never below Redis' clock in microseconds, so that none comes again when Redis has lost the
   * counter. See {@link LockClientOptions.tokens}.
   */
  readonly token: number;
  /**
   * Writes to Redis that are refused when a later token has written: what a holder that was stopped for longer than its lease still does then changes
   * nothing. See {@link Guard}; for other stores `docs/fenced-lock.md` has the SQL.
   */
  readonly guard: Guard;
}

/**
 * A lock whose holds have a fencing token, as Redisson's `RFencedLock`: everything that {@link RLock} does, on the same name as `getLock` (the two
 * exclude each other). A handoff in memory takes the next token of a span, without a command.
 *
 * Unlike Redisson's, a re-entry keeps the token: the nested code is the same holder.
 */
export interface RFencedLock extends RLock<FencedHold> {
  /**
   * The token of the hold that this scope has (outside scopes this handle, or the explicit owner), or null when it has none. Asks nobody. Redisson's answers
   * the latest token of all, which may be another holder's.
   */
  getToken(): Promise<number | null>;
  /** As {@link RLock.lock}, and answers the token. */
  lockAndGetToken(options?: number | LockOptions): Promise<number>;
  /** As {@link RLock.tryLock}, and answers the token, or null where that answers false. */
  tryLockAndGetToken(
    waitMs?: number,
    leaseMs?: number,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<number | null>;
}
