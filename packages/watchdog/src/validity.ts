/**
 * How long a lease may be believed: arithmetic only.
 *
 * A confirmation sent at `s` that reports `r` left proves the lease until `s + r` at least, because the answer was made after `s`. Of that
 * at most `leaseMs` is believed (a server whose clock was set back reports too much) and a margin for clocks running at different rates is
 * taken off. Confirmations never shorten each other; the furthest one counts.
 *
 * The limit is where the lease ends however often it is confirmed: a fixed one at the end of its term, any one at `renewUntil`. The term of
 * a fixed lease counts from the confirmation that began it, and reaches as far as whatever else Redis promised to an explicit request.
 */

import type { LeaseTerms, LossReason } from './lease.js';

/** See the module comment. */
export class Validity {
  readonly #marginMs: (leaseMs: number) => number;
  #terms: LeaseTerms;
  #begunAt = Number.NEGATIVE_INFINITY;
  /** The furthest confirmation as it was reported, to be judged again when the terms change. */
  #proofSentAt = Number.NEGATIVE_INFINITY;
  #proofRemainingMs = 0;
  /** Length of the latest confirmation, as far as believed. */
  #grantedMs = 0;
  /** Ends of the furthest confirmation, as far as believed, before and after the margin. */
  #grantEnd = Number.NEGATIVE_INFINITY;
  #safeEnd = Number.NEGATIVE_INFINITY;
  #limit = Number.POSITIVE_INFINITY;
  #limitReason: LossReason = 'max-hold';
  #runsOut = false;

  constructor(terms: LeaseTerms, marginMs: (leaseMs: number) => number) {
    this.#terms = terms;
    this.#marginMs = marginMs;
  }

  /** Clock time from which the lease is not believed; -Infinity without any confirmation. */
  get deadline(): number {
    return Math.min(this.#safeEnd, this.#limit);
  }

  /** The lease begins, or begins anew, with this confirmation alone. */
  start(sentAt: number, remainingMs: number): void {
    this.#begunAt = sentAt;
    this.#proofSentAt = Number.NEGATIVE_INFINITY;
    this.#proofRemainingMs = 0;
    this.#grantEnd = Number.NEGATIVE_INFINITY;
    this.#safeEnd = Number.NEGATIVE_INFINITY;
    this.request(sentAt, remainingMs);
  }

  /** The answer to a request of the holder, which was promised what it says. True when it prolongs the lease noticeably. */
  request(sentAt: number, remainingMs: number): boolean {
    const prolonged = this.verify(sentAt, remainingMs);
    this.#setLimit();
    return prolonged;
  }

  /** The answer to a renewal: the limit stands. True when it prolongs the lease noticeably. */
  verify(sentAt: number, remainingMs: number): boolean {
    const grantedMs = Math.min(remainingMs, this.#terms.leaseMs);
    const grantEnd = sentAt + grantedMs;
    if (Number.isNaN(grantEnd)) return false;
    const prolonged = grantEnd > this.#grantEnd + this.#slackMs;
    this.#grantedMs = grantedMs;
    if (grantEnd > this.#grantEnd) this.#grantEnd = grantEnd;
    const safeEnd = grantEnd - this.#marginMs(grantedMs);
    if (safeEnd > this.#safeEnd) this.#safeEnd = safeEnd;
    if (sentAt + remainingMs > this.#proofSentAt + this.#proofRemainingMs) {
      this.#proofSentAt = sentAt;
      this.#proofRemainingMs = remainingMs;
    }
    return prolonged;
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
    this.request(this.#proofSentAt, this.#proofRemainingMs);
  }

  /** New terms for a lease that starts later. */
  prepare(terms: LeaseTerms): void {
    this.#terms = terms;
    this.#runsOut = false;
  }

  /** What to ask for at `now`: a lease time, or 0 when nothing is left to ask for and ownership is only verified. */
  askMs(now: number): number {
    return this.#atLimit ? 0 : Math.ceil(Math.min(this.#terms.leaseMs, this.#limit - now));
  }

  /** Time from a confirmation to the next renewal. */
  get intervalMs(): number {
    return (this.#atLimit ? this.#terms.leaseMs : this.#grantedMs) / 3;
  }

  /** Why the lease is over at its deadline; undefined when it could have been prolonged. */
  get limitReason(): LossReason | undefined {
    return this.#atLimit ? this.#limitReason : undefined;
  }

  get #atLimit(): boolean {
    return this.#grantEnd >= this.#limit - this.#slackMs;
  }

  /** Differences below this are drift and rounding. */
  get #slackMs(): number {
    return this.#marginMs(this.#terms.leaseMs);
  }

  #setLimit(): void {
    if (this.#runsOut) return;
    const { mode, leaseMs, renewUntil = Number.POSITIVE_INFINITY } = this.#terms;
    const termEnd = mode === 'fixed' ? Math.max(this.#begunAt + leaseMs, this.#grantEnd) : Number.POSITIVE_INFINITY;
    this.#limit = Math.min(termEnd, renewUntil);
    this.#limitReason = termEnd <= renewUntil && mode === 'fixed' ? 'expired' : 'max-hold';
  }
}
