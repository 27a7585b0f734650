/**
 * Keeps the leases of a client alive while their holders live, and tells when one is over.
 *
 * One timer serves all of them. When a renewal falls due, every lease whose own renewal is due within the next quarter of its interval goes
 * along, divided into batches by key; having been renewed together they fall due together, so leases taken at different moments converge
 * to a few batches a round. Batches are independent: each is one call of the port, and none waits for another.
 *
 * Not promised: that a lease is still held elsewhere. A lease is believed until its deadline at the latest; that it was taken away before
 * is noticed at the next renewal.
 */

import { Bag } from './bag.js';
import { newAttempt } from './attempt.js';
import { divide } from './batches.js';
import type { Clock } from './clock.js';
import type { Lease, LeaseListener, LeaseTerms } from './lease.js';
import type { RenewalOutcome, RenewalPort } from './renewal.js';
import { report } from './report.js';
import { Schedule } from './schedule.js';
import { type LeaseKeeper, type SettledRenewal, WatchedLease } from './watched-lease.js';

/** Options of {@link Watchdog}. */
export interface WatchdogOptions<S> {
  readonly clock: Clock;
  readonly port: RenewalPort<S>;
  /** Uniform in [0, 1): spreads what is tried again. */
  readonly random: () => number;
  /** Receives what listeners, observers and the port throw. The only way such an error is reported. */
  readonly onError: (error: unknown) => void;
  /** Longest time between two looks at a lease, also at one that needs no renewal for long: a loss is noticed by then. */
  readonly mostIntervalMs: number;
  /** How many would be told now, if all leases were lost: a lease may have several holders. */
  readonly holders: () => number;
  /** Observes every outcome that still mattered, before anything comes of it; it must not call the lease. */
  readonly onRenewal: (renewal: SettledRenewal<S>) => void;
}

/** A batch gets at least this long, however near a deadline is. */
const MIN_PATIENCE_MS = 50;
/** Holders who are told of their loss within a millisecond, also on a busy machine: signals, errors, what listens, and the garbage of all that. */
const TOLD_PER_MS = 10;

/** See the module comment. */
export class Watchdog<S> {
  readonly #options: WatchdogOptions<S>;
  readonly #schedule: Schedule;
  readonly #keeper: LeaseKeeper<S>;
  readonly #leases = new Bag<WatchedLease<S>>();
  #closed = false;

  constructor(options: WatchdogOptions<S>) {
    const { clock, onError, mostIntervalMs, holders, onRenewal } = options;
    this.#options = options;
    this.#schedule = new Schedule(clock, 'background', onError);
    this.#keeper = {
      clock,
      mostIntervalMs,
      get tellingMs() {
        return Math.floor(holders() / TOLD_PER_MS);
      },
      schedule: this.#schedule,
      renew: (lease, now) => void this.#renew([lease], now),
      renewDue: (now) => this.#renewDue(now),
      forget: (lease) => this.#leases.delete(lease),
      onRenewal: (renewal) => this.#guard(() => onRenewal(renewal)),
      guard: (run) => this.#guard(run),
    };
  }

  /** How many leases are registered and not over. */
  get size(): number {
    return this.#leases.size;
  }

  /** Registers a lease, `pending`. Do it before the acquire is sent. On a closed watchdog it is `ended` at once. */
  open(subject: S, terms: LeaseTerms, listener: LeaseListener): Lease<S> {
    const lease = new WatchedLease(this.#keeper, subject, terms, listener);
    if (this.#closed) lease.end();
    else this.#leases.add(lease);
    return lease;
  }

  /** The connection is back: renews or verifies now every held lease of these subjects, except those with a renewal in flight. */
  verify(concerns: (subject: S) => boolean): void {
    const now = this.#options.clock.now();
    for (const lease of this.#leases) if (concerns(lease.subject)) lease.hasten(now);
    this.#renewDue(now);
  }

  /** The connection is lost: every held lease of these subjects becomes `suspect` until the next proof of ownership. */
  suspect(concerns: (subject: S) => boolean): void {
    for (const lease of this.#leases) if (concerns(lease.subject)) lease.suspect();
  }

  /** Ends every lease silently. Leaves no timer; nothing fires any more and nothing can begin. */
  close(): void {
    this.#closed = true;
    for (const lease of this.#leases) lease.end();
    this.#schedule.clear();
  }

  #renewDue(now: number): void {
    const due = [...this.#leases].filter((lease) => lease.isDue(now));
    for (const batch of divide(due, (lease) => this.#batchKey(lease), now)) void this.#renew(batch, now);
  }

  /** Leases whose key cannot be told travel together, and fail together if the port cannot tell either. */
  #batchKey(lease: WatchedLease<S>): string | undefined {
    try {
      return this.#options.port.batchKey(lease.subject);
    } catch (error) {
      report(error, this.#options.onError);
      return undefined;
    }
  }

  /** Never rejects. */
  async #renew(planned: readonly WatchedLease<S>[], now: number): Promise<void> {
    // The port's answer to an earlier batch of this round may have ended some.
    const batch = planned.filter((lease) => lease.isDue(now));
    const [mostUrgent] = batch;
    if (mostUrgent === undefined) return;
    const until = Math.max(mostUrgent.deadline, now + MIN_PATIENCE_MS);
    const attempt = newAttempt(now, until, this.#options.random);
    const renewals = batch.map((lease) => lease.startRenewal(attempt));
    let outcomes: readonly RenewalOutcome[];
    try {
      outcomes = [...(await this.#options.port.renew(renewals, until))];
    } catch (error) {
      report(error, this.#options.onError);
      outcomes = batch.map(() => unknown);
    }
    for (const [index, lease] of batch.entries()) lease.settle(attempt, readable(outcomes[index]));
  }

  #guard(run: () => void): void {
    try {
      run();
    } catch (error) {
      report(error, this.#options.onError);
    }
  }
}

const unknown: RenewalOutcome = { kind: 'unknown' };

/** A missing or senseless outcome proves nothing. */
function readable(outcome: RenewalOutcome | undefined): RenewalOutcome {
  if (outcome === undefined) return unknown;
  const isConfirmed = outcome.kind === 'renewed' || outcome.kind === 'held';
  return isConfirmed && !(outcome.sentAt + outcome.remainingMs > outcome.sentAt) ? unknown : outcome;
}
