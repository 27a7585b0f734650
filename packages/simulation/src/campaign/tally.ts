/** What runs add up to. */

import type { Violation } from '../judges/violation.js';
import type { FaultKind } from '../plan/faults.js';
import type { ScenarioClass } from '../plan/scenario.js';
import type { RunResult } from '../run.js';

/** A run that broke a promise. */
export interface Finding extends Violation {
  readonly seed: number;
  readonly class: ScenarioClass;
}

export interface Tally {
  runs: number;
  holds: number;
  passed: number;
  losses: number;
  faults: number;
  events: number;
  worldMs: number;
  byClass: Partial<Record<ScenarioClass, number>>;
  byFault: Partial<Record<FaultKind, number>>;
}

export function emptyTally(): Tally {
  return { runs: 0, holds: 0, passed: 0, losses: 0, faults: 0, events: 0, worldMs: 0, byClass: {}, byFault: {} };
}

export function addRun(tally: Tally, { scenario, counts }: RunResult): void {
  tally.runs++;
  for (const what of ['holds', 'passed', 'losses', 'faults', 'events', 'worldMs'] as const) tally[what] += counts[what];
  tally.byClass[scenario.class] = (tally.byClass[scenario.class] ?? 0) + 1;
  add(tally.byFault, counts.byFault);
}

export function addTally(tally: Tally, other: Tally): void {
  for (const what of ['runs', 'holds', 'passed', 'losses', 'faults', 'events', 'worldMs'] as const) {
    tally[what] += other[what];
  }
  add(tally.byClass, other.byClass);
  add(tally.byFault, other.byFault);
}

function add<K extends string>(sums: Partial<Record<K, number>>, more: Partial<Record<K, number>>): void {
  for (const [key, count] of Object.entries(more) as [K, number][]) sums[key] = (sums[key] ?? 0) + count;
}
