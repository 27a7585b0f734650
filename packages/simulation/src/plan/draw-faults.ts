/** Draws what breaks in a world, and when. */

import type { Chance } from '../world/chance.js';
import { type FaultKind, type FaultPlan, type FaultWeights, weights } from './faults.js';
import type { Scenario } from './scenario.js';

/** A server's silence that a fault makes is over after this at most. */
const LONGEST_FAULT_MS = 3_000;

/** What breaks, and how often, where it is not the class that says so. */
export interface FaultTerms {
  readonly weights: FaultWeights;
  /** On average, in milliseconds: one of them is drawn. */
  readonly every: readonly number[];
  /** A silence that one of them makes is over after this at most, in milliseconds. */
  readonly longestMs: number;
}

/** What breaks for plain locks and for processes. */
export function drawFaults(
  chance: Chance,
  { workMs, processes, locks, class: kind, lag }: Scenario,
  {
    weights: wanted = kind === 'taken' ? weights.taken : weights.broken,
    every = [60, 150, 400],
    longestMs = LONGEST_FAULT_MS,
  }: Partial<FaultTerms> = {},
): FaultPlan[] {
  const everyMs = chance.pick(every);
  const faults: FaultPlan[] = [];
  // In peace first, and ended by the end.
  for (let at = 300; at < workMs; at += 2 * everyMs * chance.next()) {
    const drawn = chance.weighed(wanted as Readonly<Record<FaultKind, number>>);
    if (drawn === 'failover' && lag === undefined) continue;
    const forMs = Math.min(chance.mostlySmall(5, longestMs), workMs - at);
    const process = chance.below(processes.length);
    faults.push(planned(drawn, { at, forMs, process, lock: chance.below(locks.length), chance }));
  }
  return faults;
}

/** What breaks at the servers of a lock by majority: at one of them, or at several at the same moment. From a stream of its own. */
export function drawNodeFaults(
  chance: Chance,
  { workMs, processes, others }: Scenario,
  wanted: FaultWeights = weights.atNode,
): FaultPlan[] {
  const count = others.find((plan) => plan.kind === 'majority')?.nodes.length ?? 0;
  if (count === 0) return [];
  const everyMs = chance.pick([100, 300, 1_000]);
  const faults: FaultPlan[] = [];
  for (let at = 300; at < workMs; at += 2 * everyMs * chance.next()) {
    const drawn = chance.weighed(wanted as Readonly<Record<FaultKind, number>>);
    const forMs = Math.min(chance.mostlySmall(5, LONGEST_FAULT_MS), workMs - at);
    const process = chance.below(processes.length);
    const first = chance.below(count);
    const hit = chance.happens(0.6) ? 1 : chance.whole(1, count);
    const fault = planned(drawn, { at, forMs, process, lock: 0, chance });
    for (let next = 0; next < hit; next++) faults.push({ ...fault, node: (first + next) % count });
  }
  return faults;
}

function planned(
  kind: FaultKind,
  { at, forMs, process, lock, chance }: { at: number; forMs: number; process: number; lock: number; chance: Chance },
): FaultPlan {
  switch (kind) {
    case 'reset':
    case 'reply-lost':
    case 'dead':
    case 'answers-swapped':
      return { at, kind, process, connection: chance.below(4) };
    case 'late':
      return { at, kind, process, connection: chance.below(4), brokenMs: chance.mostlySmall(1, 500), forMs };
    case 'partition':
      return { at, kind, process, way: chance.pick(['both', 'to the server', 'to the client']), forMs };
    case 'stop':
    case 'stall':
      return { at, kind, process, forMs };
    case 'stall-inside':
      return { at, kind, process, readings: chance.whole(1, 60), forMs };
    case 'kill':
      return { at, kind, process, how: chance.pick(['closed', 'silent']), backMs: chance.between(10, 1_000) };
    case 'server-stop':
    case 'oom':
    case 'noperm':
    case 'busy':
      return { at, kind, forMs: Math.min(forMs, 1_500) };
    case 'restart':
    case 'restart-empty':
    case 'failover':
      return { at, kind, awayMs: Math.min(forMs, 1_000), loadingMs: chance.happens(0.5) ? chance.between(1, 300) : 0 };
    case 'reborn':
      return {
        at,
        kind,
        awayMs: Math.min(forMs, 1_000),
        loadingMs: 0,
        aheadMs: Math.round(chance.between(1_000, 90_000)),
      };
    case 'script-flush':
    case 'clients-killed':
      return { at, kind };
    case 'clock-back':
      return { at, kind, byMs: Math.round(chance.mostlySmall(1, 300)) };
    case 'queue-lost':
    case 'counter-lost':
    case 'del':
      return { at, kind, lock };
    case 'force':
      return { at, kind, lock, process };
  }
}
