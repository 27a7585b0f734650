import { holdfast } from '../peers/holdfast.js';
import { notifyAndRetry } from '../peers/notify-and-retry.js';
import type { Peer, Traits } from '../peers/peer.js';
import { redisSemaphore } from '../peers/redis-semaphore.js';
import { floor } from '../peers/roster.js';
import { busyCase } from './busy-case.js';
import { acquire, cost, handoff, scripts } from './columns.js';
import { crowdCase } from './crowd-case.js';
import { family } from './family.js';
import { besideLanguages } from './languages.js';
import { heldCase } from './held-case.js';
import { loopCase } from './loop-case.js';
import type { Case, Workload } from './workload.js';
import { young } from './young.js';

const locks = ({ kind, runsIn }: Traits): boolean => kind === 'lock' && runsIn === undefined;
const everybody = ({ kind, runsIn }: Traits): boolean => (kind === 'lock' || kind === 'floor') && runsIn === undefined;

const timers = ['timerLateP99Ms', 'timerLateMaxMs'] as const;

const uncontended: Workload = {
  name: 'uncontended',
  title: 'Uncontended: lock and unlock, nobody competes',
  about: 'One process; each context takes and gives back a lock of its own, again and again.',
  columns: ['opsPerSecond', ...acquire, ...cost, ...timers, 'peakMiB'],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: floor,
  suits: everybody,
  cases: [1, 64, 1_000].flatMap((tasks): Case[] => [
    loopCase({ label: `${tasks} at once`, x: tasks, tasks, locks: 'own', inShortRun: tasks === 1 }),
    loopCase({ label: `${tasks} at once, auto-pipelining`, tasks, locks: 'own', pipelining: 'auto' }),
  ]),
  growth: {
    x: 'locks at once',
    figures: ['redisCpuUs', 'clientCpuUs', 'acquireP50Us'],
    why:
      'Cost per lock falls with the number of locks at once, for everybody: the commands of one turn of the event loop share ' +
      'system calls on both ends. Past some 64 the processor of the client is the limit; from there only latency grows, linearly.',
  },
};

const tasks: Workload = {
  name: 'tasks',
  title: 'One lock, many tasks of one process',
  about: 'A closed loop without hold time. Exclusion is proved beforehand, with a hold of 1 ms.',
  columns: ['opsPerSecond', ...acquire, ...cost, 'fairness', ...timers, 'peakMiB'],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: floor,
  suits: locks,
  cases: [2, 10, 50, 500].map((count) =>
    loopCase({ label: `${count} tasks`, x: count, tasks: count, locks: 'one', inShortRun: count === 50 }),
  ),
  growth: {
    x: 'tasks',
    figures: ['clientCpuUs', 'commandsPerOp', 'acquireP99Us'],
    why:
      'holdfast passes the lock on in memory: the cost of a section is flat, and a wait is the number of tasks before one’s own times that. ' +
      'Two tasks are too few for it: one often gives the lock back, to Redis, just before the other asks again. ' +
      'Where each task asks Redis by itself, every release wakes or meets all of them, so commands per section grow with the tasks.',
  },
};

const processes: Workload = {
  name: 'processes',
  title: 'One lock, several processes',
  about:
    'A closed loop, one task in each process. A handoff is counted only where the lock went to another process that had been waiting. Who polls keeps ' +
    'the lock in one process for long, so that `ops/s` is high, `fairness` low and the wait of the others long: compare handoffs.',
  columns: [
    ...(['opsPerSecond', 'handoffsPerSecond', ...handoff, 'keptShare', ...acquire, ...cost] as const),
    ...([...scripts, 'inUseShare', 'fairness', ...timers] as const),
  ],
  rate: 'handoffsPerSecond',
  rounds: 'several',
  base: floor,
  suits: locks,
  cases: [0, 1, 5].flatMap((holdMs) =>
    [2, 4, 8, 16].map((count) =>
      loopCase({
        label: `${count} processes, hold ${holdMs} ms`,
        ...(holdMs === 0 && { x: count }),
        processes: count,
        holdMs,
        locks: 'one',
        inShortRun: count === 4 && holdMs === 0,
      }),
    ),
  ),
  growth: {
    x: 'processes (hold 0)',
    figures: ['handoffP50Us', 'commandsPerOp', 'redisCpuUs', 'acquireP99Us'],
    why:
      'A handoff that names the next owner is one release and one message, whoever else waits: flat. A broadcast wakes every process, and all ' +
      'but one of them fail: linear. Waits grow with the number of processes in any fair order, since each has to wait for all others once. ' +
      'With more processes than cores the scheduler of the machine shows in everything.',
  },
};

/** Of turns of some sections each there are six in a second for each process: in one of ten seconds a turn more is less than 2 %. */
const LENGTHS_FOR_TURNS = 10;

/** One of each kind beside holdfast: told of releases, and polling. The others do as these. */
const turnTakers: readonly Peer[] = [holdfast, notifyAndRetry, redisSemaphore];

const sixProcesses = {
  ...({ processes: 6, locks: 'one', lengths: LENGTHS_FOR_TURNS } as const),
  suits: (peer: Peer) => turnTakers.includes(peer),
};

const mixed: Workload = {
  name: 'mixed',
  title: 'One lock, several processes with several tasks each',
  about:
    'A closed loop. What stays in a process for a while, as `kept` says, costs no handoff between processes. `fairness` is that of the processes; ' +
    'where they have different numbers of tasks, those with more want the lock more. ' +
    `The cases with six have one round of ${LENGTHS_FOR_TURNS} lengths, since shares go by turns, with one library of each kind.`,
  columns: ['opsPerSecond', ...handoff, 'keptShare', ...acquire, ...cost, 'inUseShare', 'fairness', ...timers],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: floor,
  suits: locks,
  cases: [
    ...[4, 8].map((count) =>
      loopCase({
        label: `${count} processes × ${count} tasks`,
        processes: count,
        tasks: count,
        locks: 'one',
        inShortRun: count === 4,
      }),
    ),
    loopCase({ label: '6 processes × 2 tasks, hold 1 ms', ...sixProcesses, tasks: 2, holdMs: 1 }),
    loopCase({ label: '6 processes × 2 tasks, two round trips', ...sixProcesses, tasks: 2, sectionRoundTrips: 2 }),
    loopCase({ label: '6 processes × 2 to 8 tasks, hold 1 ms', ...sixProcesses, tasks: [2, 2, 4, 4, 8, 8], holdMs: 1 }),
  ],
};

const nested: Workload = {
  name: 'nested',
  title: 'Re-entrancy: a lock taken again inside itself',
  about: 'One context; one operation takes the lock as often as the depth says and gives it back as often.',
  columns: ['opsPerSecond', ...acquire, ...cost],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: floor,
  suits: ({ reenters }) => reenters,
  cases: [1, 2, 5, 10].map((depth) =>
    loopCase({ label: `depth ${depth}`, x: depth, depth, locks: 'own', inShortRun: depth === 2 }),
  ),
  growth: {
    x: 'depth',
    figures: ['acquireP50Us', 'commandsPerOp', 'redisCpuUs'],
    why: 'Linear for everybody: the hold count is kept in Redis, so each level is one command in and one out.',
  },
};

const busy: Workload = {
  name: 'busy',
  title: 'An attempt that fails at once',
  about: 'One context tries, without waiting, a lock that another process holds.',
  columns: ['opsPerSecond', ...acquire, ...cost],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: floor,
  suits: everybody,
  cases: [busyCase],
};

const held: Workload = {
  name: 'held',
  title: 'Many held locks under the watchdog',
  about:
    'One process holds them and does nothing else. The lease is 6 s, so that renewals show; at the ordinary 30 s they cost a fifth.',
  columns: [
    'commandsPerRenewal',
    'clientCpuPercent',
    'redisCpuPercent',
    'bytesEach',
    'acquiredInMs',
    ...timers,
    'peakMiB',
  ],
  rate: undefined,
  rounds: 'one',
  base: floor,
  suits: ({ kind, renews }) => kind === 'lock' && renews,
  cases: [
    heldCase({ label: '1,000 locks', locks: 1_000, inShortRun: true }),
    heldCase({ label: '10,000 locks', locks: 10_000 }),
  ],
  growth: {
    x: 'held locks',
    figures: ['commandsPerRenewal', 'clientCpuPercent', 'redisCpuPercent'],
    why:
      'Linear, on top of what an idle process and an idle server use: every lock has a lease of its own. A command that renews many locks ' +
      'makes the slope flatter, not the line.',
  },
};

const crowd: Workload = {
  name: 'crowd',
  title: 'A crowd that waits',
  about:
    'Tasks of one process wait for a lock that another process holds, then gives back. Each leaves at once; the times count from the release.',
  columns: [
    ...([
      'servedPerSecond',
      ...acquire,
      'commandsPerSecond',
      'clientCpuPercent',
      'redisCpuPercent',
      'bytesEach',
    ] as const),
    ...(['timerLateMaxMs', 'peakMiB'] as const),
  ],
  rate: 'servedPerSecond',
  rounds: 'one',
  base: floor,
  suits: locks,
  cases: [
    crowdCase({ label: '100 tasks', tasks: 100, inShortRun: true }),
    crowdCase({ label: '1,000 tasks', tasks: 1_000 }),
  ],
};

const roundTripWhy =
  'Linear for everybody, for a round trip is what they wait for. The slope is the number of round trips, and no processor makes that less.';

const roundTrip: Workload = {
  name: 'round-trip',
  title: 'A server far away: uncontended',
  about:
    'As uncontended with one context, through a proxy that delays. The row of the PINGs shows what a round trip really took.',
  columns: ['opsPerSecond', ...acquire, 'commandsPerOp'],
  rate: 'opsPerSecond',
  rounds: 'several',
  base: floor,
  suits: everybody,
  cases: [0, 1, 10].map((roundTripMs) =>
    loopCase({
      label: `round trip + ${roundTripMs} ms`,
      ...(roundTripMs > 0 && { x: roundTripMs }),
      roundTripMs,
      locks: 'own',
      inShortRun: roundTripMs === 1,
    }),
  ),
  growth: { x: 'added round trip, ms', figures: ['acquireP50Us'], why: roundTripWhy },
};

const farHandoff: Workload = {
  name: 'round-trip-contended',
  title: 'A server far away: four processes on one lock',
  about: 'A closed loop without hold time, through a proxy that delays.',
  columns: [
    'opsPerSecond',
    'handoffsPerSecond',
    ...handoff,
    'keptShare',
    'acquireP50Us',
    'acquireP99Us',
    'commandsPerOp',
    'fairness',
  ],
  rate: 'handoffsPerSecond',
  rounds: 'several',
  base: floor,
  suits: locks,
  cases: [0, 1, 10].map((roundTripMs) =>
    loopCase({
      label: `round trip + ${roundTripMs} ms`,
      ...(roundTripMs > 0 && { x: roundTripMs }),
      roundTripMs,
      processes: 4,
      locks: 'one',
      inShortRun: roundTripMs === 10,
    }),
  ),
  growth: { x: 'added round trip, ms', figures: ['handoffP50Us', 'acquireP99Us'], why: roundTripWhy },
};

/** In the order of the report. */
export const catalogue: readonly Workload[] = [
  uncontended,
  tasks,
  processes,
  mixed,
  nested,
  busy,
  ...young,
  held,
  crowd,
  roundTrip,
  farHandoff,
  ...family,
  ...besideLanguages,
];
