/**
 * How long a lease may be believed: arithmetic only.
 *
 * A confirmation sent at `s` that reports `r` left proves the lease until `s + r` at least, because the answer was made after `s`. Of that
 * at most `leaseMs`, or what was asked for, is believed (a server whose clock was set back reports too much) and a margin for clocks running at different rates is
 * taken off. Confirmations never shorten each other; the furthest one counts.
 *
 * Where Redis falls silent many leases end together, and their holders are told one after the other, which takes time. So with many holders a little
 * more is taken off each lease, for the last of them to be told before another owner can come.
 *
 * The limit is where the lease ends however often it is confirmed: a fixed one at the end of its term, any one at `renewUntil`. The term of
 * a fixed lease counts from the confirmation that began it, and reaches as far as whatever else Redis promised to an explicit request.
 *
 * Times are kept as whole milliseconds, rounded down, and what is not known or never comes is undefined. There is one of these for each lock that is
 * held, and V8 keeps as an object of its own each number that is not whole, is above 2^31 (24 days of the clock), or stands where one was.
 */

import type { LeaseTerms, LossReason } from './lease.js';

/** What is the same for every lease. */
export interface Validation {
  /** Longest time from a confirmation to the next renewal, however long the lease. */
  readonly mostIntervalMs: number;
  /** What telling all holders takes, whose leases may end together. */
  readonly tellingMs: number;
}

/** See the module comment. */
export class Validity {
  readonly #common: Validation;
  #terms: LeaseTerms;
  #begunAt: number | undefined;
  /** The furthest confirmation as it was reported, to be judged again when the terms change. */
  #proofSentAt: number | undefined;
  #proofRemainingMs = 0;
  /** Length of the latest confirmation, as far as believed. */
  #grantedMs = 0;
  /** Length of the latest one that prolonged the lease noticeably. */
  #prolongedMs = 0;
  /** Ends of the furthest confirmation, as far as believed, before and after the margin. */
  #grantEnd: number | undefined;
  #safeEnd: number | undefined;
  /** Absent: it is prolonged without end. */
  #limit: number | undefined;
  #limitReason: LossReason = 'max-hold';
  #runsOut = false;
  /** The latest renewal was given less than it asked for, and so will the next. */
  #endsThen = false;

  constructor(terms: LeaseTerms, common: Validation) {
    this.#terms = terms;
    this.#common = common;
  }

  /** Clock time from which the lease is not believed; -Infinity without any confirmation. */
  get deadline(): number {
    if (this.#safeEnd === undefined) return -Infinity;
    return this.#limit === undefined ? this.#safeEnd : Math.min(this.#safeEnd, this.#limit);
  }

  /** The lease begins, or begins anew, with this confirmation alone. */
  start(sentAt: number, remainingMs: number): void {
    this.#begunAt = Math.floor(sentAt);
    this.#proofSentAt = undefined;
    this.#grantEnd = undefined;
    this.#safeEnd = undefined;
    this.request(sentAt, remainingMs);
    if (this.#runsOut) this.runOut();
  }

  /**
   * The answer to a request of the holder, which was promised what it says: as much as the terms say, or as was asked for. True when it prolongs
   * the lease noticeably.
   */
  request(sentAt: number, remainingMs: number, askedMs = 0): boolean {
    const prolonged = this.verify(sentAt, remainingMs, askedMs);
    this.setLimit();
    return prolonged;
  }

  /** The answer to a renewal: the limit stands. True when it prolongs the lease noticeably. */
  verify(sentAt: number, remainingMs: number, askedMs = 0): boolean {
    const grantedMs = Math.min(remainingMs, Math.max(this.#terms.leaseMs, askedMs));
    const exactEnd = sentAt + grantedMs;
    if (Number.isNaN(exactEnd)) return false;
    const grantEnd = Math.floor(exactEnd);
    const prolonged = this.#grantEnd === undefined || grantEnd > this.#grantEnd + this.slackMs;
    this.#grantedMs = Math.floor(grantedMs);
    if (prolonged) this.#prolongedMs = this.#grantedMs;
    this.#grantEnd = later(this.#grantEnd, grantEnd);
    this.#safeEnd = later(
      this.#safeEnd,
      Math.floor(exactEnd - marginMs(grantedMs) - Math.min(this.#common.tellingMs, grantedMs / 6)),
    );
    if (this.#proofSentAt === undefined || sentAt + remainingMs > this.#proofSentAt + this.#proofRemainingMs) {
      this.#proofSentAt = Math.floor(sentAt);
      this.#proofRemainingMs = Math.floor(remainingMs);
    }
    return prolonged;
  }

  /** As {@link verify}, with what the answer says of the end. */
  renewed(sentAt: number, remainingMs: number, endsThen = false): void {
    this.verify(sentAt, remainingMs);
    this.#endsThen = endsThen;
  }

  /** What is confirmed now is where it ends. */
  runOut(): void {
    this.#runsOut = true;
    this.#limit = this.#grantEnd;
    this.#limitReason = 'expired';
  }

  get runsOut(): boolean {
    return this.#runsOut;
  }

  /** New terms; what was confirmed stays confirmed. */
  retune(terms: LeaseTerms): void {
    this.prepare(terms);
    if (this.#proofSentAt !== undefined) this.request(this.#proofSentAt, this.#proofRemainingMs);
  }

  /** New terms for a lease that starts later. */
  prepare(terms: LeaseTerms): void {
    this.#terms = terms;
    this.#runsOut = false;
  }

  /** What to ask for at `now`: a lease time, or 0 when nothing is left to ask for and ownership is only verified. */
  askMs(now: number): number {
    if (this.atLimit) return 0;
    const { leaseMs } = this.#terms;
    return Math.ceil(this.#limit === undefined ? leaseMs : Math.min(leaseMs, this.#limit - now));
  }

  /** Time from a confirmation to the next renewal. */
  get intervalMs(): number {
    return Math.min((this.atLimit ? this.#terms.leaseMs : this.#grantedMs) / 3, this.#common.mostIntervalMs);
  }

  /** It was last prolonged by all that its terms say: not for a claim, which is short, nor by other terms. */
  get isWhole(): boolean {
    return this.#prolongedMs >= this.#terms.leaseMs - this.slackMs;
  }

  /** Why the lease is over at its deadline; undefined when it could have been prolonged. */
  get limitReason(): LossReason | undefined {
    if (this.atLimit) return this.#limitReason;
    return this.#endsThen ? 'expired' : undefined;
  }

  private get atLimit(): boolean {
    return this.#limit !== undefined && this.#grantEnd !== undefined && this.#grantEnd >= this.#limit - this.slackMs;
  }

  /** Differences below this are drift and rounding. */
  private get slackMs(): number {
    return marginMs(this.#terms.leaseMs);
  }

  private setLimit(): void {
    if (this.#runsOut) return;
    const { mode, leaseMs, renewUntil } = this.#terms;
    const until = renewUntil === undefined ? undefined : Math.floor(renewUntil);
    const termEnd =
      mode === 'fixed' && this.#begunAt !== undefined
        ? later(this.#grantEnd, this.#begunAt + Math.floor(leaseMs))
        : undefined;
    const endsFirst = termEnd !== undefined && (until === undefined || termEnd <= until);
    this.#limit = endsFirst ? termEnd : until;
    this.#limitReason = endsFirst ? 'expired' : 'max-hold';
  }
}

/** How long before the end of a granted time it is not believed any more, for clocks that run at different rates. */
function marginMs(leaseMs: number): number {
  return leaseMs / 100 + 2;
}

function later(known: number | undefined, time: number): number {
  return known === undefined ? time : Math.max(known, time);
}
