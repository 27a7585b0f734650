/** Both checkers on one history: what a run, or one epoch of it, is judged by. */
import type { History } from '../history/read.js';
import { checkIntervals, type Counts, type IntervalOptions } from './intervals.js';
import { checkLinearizability, type LinearizabilityOptions } from './linearizability.js';
import type { Violation } from './violation.js';

export interface Judgement {
  /** By time. Empty: nothing is wrong with what was seen. */
  readonly violations: readonly Violation[];
  /** Locks on which the search for an order was given up. */
  readonly undecided: readonly string[];
  readonly counts: Counts;
}

/** Judges a history by its fault class. */
export function judge(history: History, options: IntervalOptions & LinearizabilityOptions): Judgement {
  const intervals = checkIntervals(history, options);
  const order = checkLinearizability(history, options);
  return {
    violations: [...intervals.violations, ...order.violations].sort((a, b) => a.at - b.at),
    undecided: order.undecided,
    counts: intervals.counts,
  };
}
