/** What the watchdog asks for one lease. `S` is whatever the port knows the lease by. */
export interface Renewal<S> {
  readonly subject: S;
  /** Extend the lease to this many milliseconds from now unless it is longer; 0: only verify that it is still ours. */
  readonly leaseMs: number;
}

/**
 * What became of a renewal.
 *
 * - `renewed`, `held`: still ours, extended or only verified. `sentAt` is the clock time just before the answered attempt was sent,
 *   `remainingMs` what was left of the lease when it was answered.
 *   `endsThen`: less than what was asked for, since what it is a lease of ends then.
 * - `lost`: certainly not ours any more.
 * - `unknown`: neither is certain. It is tried again until the deadline.
 */
export type RenewalOutcome =
  | { kind: 'renewed' | 'held'; sentAt: number; remainingMs: number; endsThen?: boolean }
  | { kind: 'lost'; reason: 'deleted' | 'taken' }
  | { kind: 'unknown' };

/** How leases are renewed: the only thing the watchdog asks of the outside. */
export interface RenewalPort<S> {
  /** Leases of one key travel together; trouble with one key never delays another. */
  batchKey(subject: S): string;
  /**
   * Renews the batch: one outcome each, in the same order. Must settle by the clock time `until` and must never create or shorten a lease.
   * Of a promise that is still pending a little later nothing is expected any more: its leases are tried again. A rejection counts as
   * `unknown` for all of them and is reported.
   */
  renew(batch: readonly Renewal<S>[], until: number): Promise<readonly RenewalOutcome[]>;
}
