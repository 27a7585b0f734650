/**
 * - `pending`: registered, ownership not confirmed. Nothing is renewed.
 * - `held`: confirmed, and the deadline has not passed.
 * - `suspect`: still believed until the deadline, but a renewal failed or is overdue, or the connection is down.
 * - `lost`: over against the holder's will. Final.
 * - `ended`: given up by the holder, or the watchdog was closed. Final.
 */
export type LeaseState = 'pending' | 'held' | 'suspect' | 'lost' | 'ended';

/**
 * Why the watchdog itself gives a lease up.
 *
 * - `expired`: a fixed lease ran its term, or one of what ends by itself could not be prolonged.
 * - `deleted`, `taken`: a renewal was answered so.
 * - `unreachable`: the deadline passed while renewals failed or stayed unanswered.
 * - `clock`: the process or the machine stood still for so long that the deadline passed before a renewal could even fail.
 * - `max-hold`: `renewUntil` has come.
 */
export type LossReason = 'expired' | 'deleted' | 'taken' | 'unreachable' | 'clock' | 'max-hold';

/** What a lease is to be. */
export interface LeaseTerms {
  /** How long it is granted for at a time, in milliseconds. */
  readonly leaseMs: number;
  /** `watched`: renewed until it ends. `fixed`: one term of `leaseMs`, verified now and then but never prolonged. */
  readonly mode: 'watched' | 'fixed';
  /** Clock time at which it is lost with reason `max-hold`, however healthy. Default: never. */
  readonly renewUntil?: number;
}

/** Told what becomes of a lease. What a listener throws is reported and harms no other lease. */
export interface LeaseListener {
  /** Once, when it becomes `lost`; possibly inside a call of the lease such as `check()`. `reason`: a {@link LossReason} or that of `lose`. */
  onLost(reason: string): void;
  /** `held` to `suspect`. */
  onSuspect(): void;
}

/**
 * A time-limited promise made elsewhere (by Redis), and how long it may still be believed here.
 *
 * Every read of `state`, `remainingMs()` and `check()` compares the deadline with the clock first and, when it has passed, declares the loss
 * on the spot: after a stalled event loop the first line of user code sees `lost`, before any timer runs. All times are milliseconds of the
 * watchdog's clock.
 */
export interface Lease<S> {
  readonly subject: S;
  readonly state: LeaseState;
  /** Clock time from which it is no longer believed; -Infinity before ownership was first confirmed. */
  readonly deadline: number;
  /** Time to the deadline; 0 unless `held` or `suspect`. */
  remainingMs(): number;
  /**
   * Ownership is confirmed by an answer to something sent at `sentAt`, with `remainingMs` left. False when the deadline that follows has
   * passed already (the lease stays `pending` and may begin again) or the lease is over. On a lease that has begun, same as `confirm`.
   */
  begin(sentAt: number, remainingMs: number): boolean;
  /** Ownership is granted by a message that says until when; the margin is still taken off. Otherwise as `begin`. */
  beginUntil(deadline: number): boolean;
  /**
   * A later answer proves ownership. Never shortens the lease; ends a suspicion. `askedMs`: what was asked for, where that is more than the terms
   * say: so much is believed, and a fixed lease ends no earlier.
   */
  confirm(sentAt: number, remainingMs: number, askedMs?: number): void;
  /** The late answer to what was asked before the lease began. As `confirm`, but its promise was given to no caller: a fixed term stands. */
  witness(sentAt: number, remainingMs: number): void;
  /** New terms from now on. Nothing already confirmed is shortened, except to `renewUntil`. On a pending lease only the terms change. */
  retune(terms: LeaseTerms): void;
  /**
   * It starts anew for another hold, on the terms as they are by now: the deadline is set from this confirmation alone and may come earlier, and a
   * fixed term counts from `sentAt`.
   */
  restart(sentAt: number, remainingMs: number): void;
  /**
   * No caller wants it any more, and none can give it up: believed for as long as it is confirmed now, and nothing is asked for until then. It
   * is lost as `expired`, unless new terms come before. Only a doubt ({@link question}, a connection that was down) is still looked into.
   */
  runOut(): void;
  /** {@link runOut} was said last: no new terms have come since. */
  readonly runsOut: boolean;
  /**
   * Something speaks against it: asks now, and where a renewal is in flight once more after its answer, which may have been given before.
   * On a lease that is not held, nothing.
   */
  question(): void;
  /** True while `held` or `suspect`. */
  check(): boolean;
  /** It is over, for a reason known to the caller: `onLost(reason)`, unless it is over already, by the clock too. */
  lose(reason: string): void;
  /** Stops at once, silently: nothing is renewed after this call, late outcomes are ignored. Call it before the release is sent. */
  end(): void;
}
