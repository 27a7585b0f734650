/** The interval checker: everything that can be seen by laying the levels of each lock along the time. */
import type { History } from '../history/read.js';
import { falseBeliefs } from './belief.js';
import { overlaps, seizuresOf } from './exclusion.js';
import type { FaultClass } from './fault-classes.js';
import type { Finding } from './findings.js';
import { writesOutOfOrder } from './guard.js';
import { type Level, levelsOf } from './levels.js';
import { wrongDepths } from './nesting.js';
import { isOfSemaphore, overIssued, sharedIds } from './permits.js';
import { restsCutShort } from './rest.js';
import { nonsense } from './sanity.js';
import { givenButNotComputed } from './shares.js';
import { wrongTokens } from './tokens.js';
import { lostUpdates } from './updates.js';
import { FaultsAround, type Violation } from './violation.js';

export interface IntervalOptions {
  readonly faultClass: FaultClass;
  /** Lease of holds without `leaseMs`, in milliseconds. Default 30 000. */
  readonly watchdogLeaseMs?: number;
  /** Stop after so many violations. Default 100. */
  readonly limit?: number;
}

/** What was judged, and what is wrong with it. A run in which little happened proves little: look at the counts. */
export interface Verdict {
  readonly violations: readonly Violation[];
  readonly counts: Counts;
}

export interface Counts {
  readonly events: number;
  readonly locks: number;
  /** Acquisitions that were answered with the lock. */
  readonly holds: number;
  /** Of those, from outside (depth 1) and after a hold of another process on the same lock. */
  readonly crossProcess: number;
  readonly misses: number;
  readonly ambiguous: number;
  readonly lost: number;
  readonly samples: number;
  readonly faults: number;
}

export function checkIntervals(
  history: History,
  { faultClass, watchdogLeaseMs = 30_000, limit = 100 }: IntervalOptions,
): Verdict {
  const byLock = levelsOf(history);
  const violations: Violation[] = [];
  const faults = new FaultsAround(history);
  for (const finding of findings(history, byLock, faultClass, watchdogLeaseMs)) {
    if (faultClass.suspended[finding.rule] !== undefined) continue;
    violations.push({ ...finding, faults: faults.at(finding.at) });
    if (violations.length >= limit) break;
  }
  return { violations, counts: countsOf(history, byLock) };
}

function* findings(
  history: History,
  byLock: ReadonlyMap<string, readonly Level[]>,
  { exclusion }: FaultClass,
  watchdogLeaseMs: number,
): Generator<Finding> {
  yield* nonsense(history);
  yield* givenButNotComputed(history);
  const seizures = exclusion.kind === 'always' ? [] : seizuresOf(history, exclusion.takenBy);
  for (const [lock, levels] of byLock) {
    const ofLock = seizures.filter((seizure) => seizure.lock === undefined || seizure.lock === lock);
    const options = { exclusion, seizures: ofLock, watchdogLeaseMs };
    yield* isOfSemaphore(levels) ? overIssued(levels, options) : overlaps(levels, options);
    yield* sharedIds(levels);
    yield* restsCutShort(levels, options);
    yield* wrongDepths(levels);
    yield* falseBeliefs(levels);
    yield* wrongTokens(levels);
    yield* writesOutOfOrder(levels);
    yield* lostUpdates(levels);
  }
}

function countsOf(history: History, byLock: ReadonlyMap<string, readonly Level[]>): Counts {
  const all = [...byLock.values()].flat();
  return {
    events: history.length,
    locks: byLock.size,
    holds: all.filter(({ ok }) => ok !== undefined).length,
    crossProcess: [...byLock.values()].reduce((sum, levels) => sum + changesOfProcess(levels), 0),
    misses: all.filter(({ miss }) => miss?.type === 'fail').length,
    ambiguous: all.filter(({ ok, miss }) => ok === undefined && miss?.type !== 'fail').length,
    lost: all.filter(({ lost }) => lost !== undefined).length,
    samples: all.reduce((sum, { samples }) => sum + samples.length, 0),
    faults: history.filter((event) => event.f === 'fault' && event.state !== 'off').length,
  };
}

function changesOfProcess(levels: readonly Level[]): number {
  const outermost = levels
    .filter(({ isHad, acquire }) => isHad && acquire.depth === 1)
    .sort((a, b) => (a.start ?? 0) - (b.start ?? 0));
  return outermost.filter(({ acquire }, index) => index > 0 && outermost[index - 1]?.acquire.worker !== acquire.worker)
    .length;
}
