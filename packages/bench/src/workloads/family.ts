/** The other locks of the family, divided by the re-entrant one. */

import { holdfast } from '../peers/holdfast.js';
import type { Traits } from '../peers/peer.js';
import { mostlyReading, writing } from '../peers/siblings.js';
import { byLock } from '../peers/values.js';
import { acquire, cost, handoff } from './columns.js';
import { loopCase } from './loop-case.js';
import { stampedeCase } from './stampede-case.js';
import type { Workload } from './workload.js';

const isSibling = ({ kind, runsIn }: Traits): boolean =>
  runsIn === undefined && (kind === 'sibling' || kind === 'sharing sibling');

const familyAlone: Workload = {
  name: 'family',
  title: 'The family, uncontended',
  about: 'As uncontended, with each kind of lock. All are divided by the re-entrant lock.',
  columns: ['opsPerSecond', ...acquire, ...cost],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: holdfast.name,
  suits: (peer) => peer === holdfast || isSibling(peer),
  cases: [1, 64].map((count) =>
    loopCase({ label: `${count} at once`, tasks: count, locks: 'own', inShortRun: count === 1 }),
  ),
};

const familyContended: Workload = {
  name: 'family-contended',
  title: 'The family, contended',
  about:
    'A closed loop without hold time, several processes with several tasks each. A fair lock goes to another process each time, a spin lock to who happens to ask.',
  columns: ['opsPerSecond', 'handoffsPerSecond', ...handoff, 'keptShare', ...acquire, ...cost, 'fairness'],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: holdfast.name,
  suits: (peer) => peer === holdfast || peer.kind === 'sibling',
  cases: [1, 4].map((count) =>
    loopCase({
      label: `4 processes × ${count} ${count === 1 ? 'task' : 'tasks'}`,
      ...{ processes: 4, tasks: count, locks: 'one', inShortRun: count === 1 },
    }),
  ),
};

const reading: Workload = {
  name: 'reading',
  title: 'Mostly reading',
  about:
    'A closed loop on one lock; sections last 1 ms. The re-entrant lock lets in one at a time, whatever it is wanted for.',
  columns: ['opsPerSecond', ...acquire, ...cost, 'fairness'],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: holdfast.name,
  suits: (peer) => peer === holdfast || peer === mostlyReading || peer === writing,
  cases: [
    loopCase({
      label: '4 processes × 16 tasks, hold 1 ms',
      ...{ processes: 4, tasks: 16, holdMs: 1, locks: 'one', inShortRun: true },
    }),
  ],
};

const majority: Workload = {
  name: 'majority',
  title: 'Held by a majority of three servers',
  about:
    'A closed loop without hold time: tasks of one process with a lock each, and four processes on one lock. All servers share the machine.',
  columns: ['opsPerSecond', 'handoffsPerSecond', ...acquire, 'clientCpuUs', 'fairness'],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: holdfast.name,
  suits: (peer) => peer === holdfast || peer.kind === 'majority',
  cases: [
    ...[1, 64].map((count) =>
      loopCase({ label: `${count} at once`, tasks: count, locks: 'own', inShortRun: count === 1 }),
    ),
    loopCase({ label: '4 processes on one lock', ...{ processes: 4, locks: 'one', inShortRun: false } }),
  ],
};

const stampede: Workload = {
  name: 'stampede',
  title: 'One computes, the rest get it',
  about: 'Callers in four processes want one value at the same moment, which nobody has computed yet.',
  columns: ['servedPerSecond', ...acquire, ...cost],
  rate: 'servedPerSecond',
  rounds: 'several',
  base: byLock.name,
  suits: ({ kind }) => kind === 'value',
  cases: [0, 20].map((computeMs) =>
    stampedeCase({
      label: `100 callers in 4 processes, computed in ${computeMs} ms`,
      ...{ processes: 4, callers: 100, computeMs },
    }),
  ),
};

/** In the order of the report. */
export const family: readonly Workload[] = [familyAlone, familyContended, reading, majority, stampede];
