import { createHistogram, type RecordableHistogram } from 'node:perf_hooks';
import type { LockLimit, LockLostReason } from '../errors.js';

/** Durations since the client was created, in milliseconds. All zero when nothing was recorded. */
export interface Distribution {
  /** How many there were. */
  readonly count: number;
  /** All of them together. */
  readonly sumMs: number;
  /** `sumMs` by `count`. */
  readonly meanMs: number;
  /** Half of them took no longer. */
  readonly p50Ms: number;
  /** 99 of 100 took no longer. */
  readonly p99Ms: number;
  /** The shortest. */
  readonly minMs: number;
  /** The longest. */
  readonly maxMs: number;
  /**
   * How many were no longer than each bound: a histogram as Prometheus has it, without its last bucket, which is `count`. The bounds are the same in
   * every client and every version of the library: from 1 ms to an hour, with 15 s and 20 s among them, which are half and two thirds of a lease by default.
   */
  readonly buckets: readonly DurationBucket[];
}

/** See {@link Distribution.buckets}. */
export interface DurationBucket {
  /** In milliseconds. */
  readonly upToMs: number;
  /** How many took no longer than that, those of lower bounds among them. */
  readonly count: number;
}

/** Counters and distributions of one client since it was created. */
export interface LockClientStats {
  /** Calls for a lock or for permits, by what they were answered. */
  readonly acquisitions: {
    /** Calls made. */
    readonly tried: number;
    /** Calls that got the lock, re-entries included. */
    readonly won: number;
    /** Calls that were answered `false`, `null` or LockTimeoutError: the lock was busy, or Redis gave no answer within their wait. */
    readonly refused: number;
    /** Calls that ended in any other error, an abort included. */
    readonly failed: number;
    /** Calls of `share` that waited for the lock, and were told the value in its place. */
    readonly found: number;
    /** won / (won + refused + failed); 1 before anything settled. */
    readonly successRate: number;
  };
  /** From call to lock, of won acquisitions. */
  readonly waits: Distribution;
  /** From lock to release. */
  readonly holds: Distribution;
  /** Locks that passed to a call that had waited, by the way. */
  readonly handoffs: {
    /** In memory, without a command. */
    readonly local: number;
    /** To another task of this process by one script, because a lease is fixed. */
    readonly passed: number;
    /** From another process, by message. */
    readonly granted: number;
  };
  /** Acquisitions inside one that was open, by the same owner; among those won. */
  readonly reentries: number;
  /** Renewals of leases, and looks at those that are not renewed. */
  readonly renewals: {
    /** Leases that were prolonged. */
    readonly renewed: number;
    /** Looks that found the lease still ours, with nothing to prolong: a fixed lease, or one at its `maxHoldMs`. */
    readonly held: number;
    /** The lease was not ours any more. */
    readonly lost: number;
    /** No certain answer: it is tried again until the lease is over, or had none by then. Or it was due, and the lease was over (`clock`) before it could be sent. */
    readonly unknown: number;
    /** How much later than due they were sent; or the lease was found to be over, by which they had not been sent. */
    readonly lateness: Distribution;
    /**
     * How much of the lease was left when it was renewed: of those `renewed`, but for the first renewal of a lease that was handed over, which is short until
     * then. In time it is two thirds of the lease; where it comes near 0, locks will be lost. `minMs` is the worst, and the buckets tell how many were below a bound.
     */
    readonly slack: Distribution;
  };
  /** Holds that ended before their release, by reason; a reason that has not occurred is absent. */
  readonly losses: Readonly<Partial<Record<LockLostReason, number>>>;
  /** Calls above one of the client's `limits`; among `acquisitions.failed`, but for `extend`, and for those that would have waited for a latch. */
  readonly limited: Readonly<Partial<Record<LockLimit, number>>>;
  /** Writes by guards that were refused, because a holder with a later token had written. */
  readonly staleWrites: number;
  /** Calls that wait now: for a lock, for permits, or for a latch. */
  readonly waiting: number;
  /** Holds that are open now: nested ones, those of readers and of permits each count. */
  readonly held: number;
}

/**
 * How an acquisition came about.
 *
 * - `asked`: the lock was free when Redis was asked.
 * - `granted`: by the release of another process.
 * - `local`, `passed`: from a task of this process, in memory, or by one script because a lease is fixed.
 * - `re-entered`: inside a hold of the same owner.
 */
export type AcquiredHow = 'asked' | 'granted' | 'local' | 'passed' | 're-entered';

/** Bounded in memory whatever it counts: the histograms are HdrHistograms of Node. */
export class Stats {
  readonly acquisitions = { tried: 0, won: 0, refused: 0, failed: 0, found: 0 };
  readonly how: Record<AcquiredHow, number> = { asked: 0, granted: 0, local: 0, passed: 0, 're-entered': 0 };
  readonly renewals = { renewed: 0, held: 0, lost: 0, unknown: 0 };
  readonly losses: Partial<Record<LockLostReason, number>> = {};
  readonly limited: Partial<Record<LockLimit, number>> = {};
  readonly waits = new Durations();
  readonly holds = new Durations();
  readonly lateness = new Durations();
  readonly slack = new Durations();
  staleWrites = 0;
  held = 0;

  /** @param waiting - calls that wait now. */
  snapshot(waiting: number): LockClientStats {
    const { won, refused, failed } = this.acquisitions;
    const settled = won + refused + failed;
    const { local, passed, granted } = this.how;
    return {
      acquisitions: { ...this.acquisitions, successRate: settled === 0 ? 1 : won / settled },
      waits: this.waits.summary(),
      holds: this.holds.summary(),
      handoffs: { local, passed, granted },
      reentries: this.how['re-entered'],
      renewals: { ...this.renewals, lateness: this.lateness.summary(), slack: this.slack.summary() },
      losses: { ...this.losses },
      limited: { ...this.limited },
      staleWrites: this.staleWrites,
      waiting,
      held: this.held,
    };
  }
}

const boundsMs = [
  ...[1, 2.5, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 15_000, 20_000, 30_000, 60_000],
  ...[120_000, 300_000, 900_000, 3_600_000],
];

/** Durations, kept in microseconds. */
class Durations {
  /** Made when there is something to record: it takes half a megabyte of address space, and its while. */
  #histogram: RecordableHistogram | undefined;
  /** Of each bound, how many are above the bounds before it, and not above it. */
  readonly #counts = boundsMs.map(() => 0);
  #sumMs = 0;

  record(ms: number): void {
    this.#histogram ??= createHistogram();
    this.#histogram.record(Math.max(1, Math.round(ms * 1_000)));
    this.#sumMs += ms;
    let at = 0;
    while (ms > (boundsMs[at] ?? Infinity)) at++;
    if (at < boundsMs.length) this.#counts[at] = (this.#counts[at] ?? 0) + 1;
  }

  summary(): Distribution {
    let upTo = 0;
    const buckets = boundsMs.map((upToMs, at) => ({ upToMs, count: (upTo += this.#counts[at] ?? 0) }));
    const histogram = this.#histogram;
    const inMs = (micros = 0) => micros / 1_000;
    return {
      count: histogram?.count ?? 0,
      sumMs: this.#sumMs,
      meanMs: inMs(histogram?.mean),
      p50Ms: inMs(histogram?.percentile(50)),
      p99Ms: inMs(histogram?.percentile(99)),
      minMs: inMs(histogram?.min),
      maxMs: inMs(histogram?.max),
      buckets,
    };
  }
}
