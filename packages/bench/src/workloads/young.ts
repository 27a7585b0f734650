/** What a process costs that has not run for long, and what it costs through each entry. A process is started for each figure. */

import { startable } from '../fresh/first-lock.js';
import { floor, subject } from '../peers/roster.js';
import { entryCase, roundsAt, type Warmth, warmths } from './entry-case.js';
import { startCase } from './start-case.js';
import type { Workload } from './workload.js';

/** 21 starts at 3 rounds. */
const TIMES_STARTED = 7;

const settings: readonly { warmth: Warmth; atOnce: number }[] = [
  ...(Object.keys(warmths) as Warmth[]).flatMap((warmth) => [1, 64].map((atOnce) => ({ warmth, atOnce }))),
  { warmth: 'warm', atOnce: 1_000 },
];

const throughEachEntry: Workload = {
  name: 'entries',
  title: 'Each entry, cold and warm',
  about:
    'Nobody competes. A process is started for each row of each round; it connects, makes the same call as often as the case says ' +
    `(${Object.entries(warmths)
      .map(([warmth, count]) => `${warmth}: ${count.toLocaleString('en-US')}`)
      .join(', ')}), and what it calls next is measured: ` +
    '1,000 times, warm 5,000 or 25,000. So `÷ SET NX` compares processes that are equally young. ' +
    `Of cold processes there are ${roundsAt.cold.times} times as many rounds, of lukewarm ones ${roundsAt.lukewarm.times}. \`holdfast\` is \`withLock\`; ` +
    'an attempt that fails is `tryLock` at a lock that another client holds, of each task another one.',
  columns: ['opsPerSecond', 'clientCpuUs', 'commandsPerOp'],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: floor,
  suits: ({ name, kind }) => kind === 'entry' || name === subject || name === floor,
  cases: (['sections', 'attempts'] as const).flatMap((what) =>
    settings.map((setting) => entryCase({ what, ...setting })),
  ),
};

const start: Workload = {
  name: 'start',
  title: 'The first lock of a process',
  about:
    'A process is started for each row of each round, ' +
    `${TIMES_STARTED} times as many as there are rounds elsewhere. It loads ioredis, then the library as users install it, then takes one lock with what the ` +
    'documentation of the library begins with, connecting included. The floor loads nothing beside ioredis.',
  columns: ['importMs', 'importOwnMs', 'firstLockMs'],
  rate: undefined,
  rounds: { times: TIMES_STARTED },
  base: floor,
  suits: ({ name }) => startable.includes(name),
  cases: [startCase('ESM'), startCase('CommonJS')],
};

/** In the order of the report. */
export const young: readonly Workload[] = [throughEachEntry, start];
