/** Beside the libraries of other languages: `npm run bench -- --java --go`. */

import { floorSet } from '../peers/floor-set.js';
import { rLock, rReadWriteLock } from '../peers/abroad.js';
import { holdfast } from '../peers/holdfast.js';
import { neighbour } from '../peers/neighbour.js';
import type { Peer } from '../peers/peer.js';
import { floor } from '../peers/roster.js';
import { mostlyReading } from '../peers/siblings.js';
import { sharedCase } from './shared-case.js';
import { acquire, handoff } from './columns.js';
import { loopCase } from './loop-case.js';
import type { Workload } from './workload.js';

const isAbroad = ({ runsIn }: Peer): boolean => runsIn !== undefined;

const alone: Workload = {
  name: 'languages',
  title: 'Beside other languages, uncontended',
  about:
    'As uncontended. Each library is divided by `SET NX` through the client it is made for, in its own language, so that locks are compared and not languages.',
  columns: ['opsPerSecond', ...acquire, 'redisCpuUs', 'clientCpuUs'],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: floor,
  suits: (peer) => peer === holdfast || peer === floorSet || (isAbroad(peer) && peer !== rReadWriteLock),
  cases: [1, 64].map((tasks) => loopCase({ label: `${tasks} at once`, tasks, locks: 'own', inShortRun: tasks === 1 })),
};

const contended: Workload = {
  name: 'languages-contended',
  title: 'Beside other languages, eight processes on one lock',
  about:
    'As one lock among several processes: a closed loop, one task in each process. All processes of a library run the same program. `acquire` is the wait.',
  columns: [
    'opsPerSecond',
    'handoffsPerSecond',
    ...handoff,
    'keptShare',
    ...acquire,
    'redisCpuUs',
    'clientCpuUs',
    'fairness',
  ],
  rate: 'handoffsPerSecond',
  rounds: 'several',
  base: floor,
  suits: (peer) => peer === holdfast || (isAbroad(peer) && peer.kind === 'lock'),
  cases: [0, 1].map((holdMs) =>
    loopCase({
      label: `8 processes, hold ${holdMs} ms`,
      ...{ processes: 8, holdMs, locks: 'one', inShortRun: holdMs === 0 },
    }),
  ),
};

const shared: Workload = {
  name: 'languages-shared',
  title: 'Node and Java on one lock',
  about:
    'A closed loop of four processes of Node and four of Java, on one lock. Each row is a run of its own, and tells of the side that it names. `acquire` is the wait.',
  columns: ['opsPerSecond', 'shareOfFair', ...acquire, 'fairness'],
  rate: undefined,
  rounds: 'several',
  base: floor,
  suits: (peer) => peer === neighbour || peer === rLock,
  cases: [1, 4].map((tasks) =>
    sharedCase({
      label: `4 + 4 processes × ${tasks} ${tasks === 1 ? 'task' : 'tasks'}, hold 1 ms`,
      ...{ processes: 4, tasks, holdMs: 1, inShortRun: tasks === 1 },
      besides: (peer) => (peer === rLock ? neighbour : rLock),
    }),
  ),
};

const reading: Workload = {
  name: 'languages-reading',
  title: 'Mostly reading, in Node and in Java',
  about:
    'A closed loop on one lock, 95 % of it reading; sections last 1 ms. All processes of a library run the same program.',
  columns: ['opsPerSecond', ...acquire, 'redisCpuUs', 'clientCpuUs', 'fairness'],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: mostlyReading.name,
  suits: (peer) => peer === mostlyReading || peer === rReadWriteLock,
  cases: [
    loopCase({
      label: '4 processes × 16 tasks, 95 % reads, hold 1 ms',
      ...{ processes: 4, tasks: 16, holdMs: 1, locks: 'one', inShortRun: true },
    }),
  ],
};

/** In the order of the report. */
export const besideLanguages: readonly Workload[] = [alone, contended, shared, reading];
