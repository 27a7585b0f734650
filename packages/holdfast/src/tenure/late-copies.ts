import { MAX_TIME_MS } from '../options.js';

/** How long after the end of the lease a late copy is still refused. */
const TOMBSTONE_TAIL_MS = 60_000;

/** What may still be on its way from one tenure: copies of its commands, and the leases that they would begin. */
export class LateCopies {
  #possible = false;
  /** Longest lease ever asked for: no lease of the tenure can outlast it by more than a claim. */
  #longestLeaseMs: number;

  constructor(leaseMs: number) {
    this.#longestLeaseMs = leaseMs;
  }

  /** A copy of a command may still be on its way, for good. */
  doubt(): void {
    this.#possible = true;
  }

  /** A lease of `leaseMs` is asked for. */
  asksFor(leaseMs: number): void {
    this.#longestLeaseMs = Math.max(this.#longestLeaseMs, leaseMs);
  }

  /** How long late copies are barred for, should there be any. */
  get barredForMs(): number {
    return Math.min(this.#longestLeaseMs + TOMBSTONE_TAIL_MS, MAX_TIME_MS);
  }

  /** How long the tenure's last command is to bar copies of those before it; 0 when there can be none. */
  get tombstoneMs(): number {
    return this.#possible ? this.barredForMs : 0;
  }

  /** How long a lease may last that a command has begun without our knowing. `claimLeaseMs`: what a grant lasts for. */
  longestMs(claimLeaseMs: number): number {
    return Math.max(this.#longestLeaseMs, claimLeaseMs) + claimLeaseMs;
  }
}
