import type { Figure } from '../measure/figures.js';
import { byTryLock, entries } from '../peers/entries.js';
import { redlock5 } from '../peers/redlock-5.js';
import { floor, subject } from '../peers/roster.js';
import type { CaseResult, PeerResult, WorkloadResult } from './results.js';

/** What holdfast wants to cost, and what it does cost. */
export interface Goal {
  readonly what: string;
  readonly bound: { readonly atLeast: number } | { readonly atMost: number };
  /** Undefined when it was not measured. */
  readonly measured: number | undefined;
}

export function reached({ bound, measured }: Goal): 'yes' | 'no' | 'not measured' {
  if (measured === undefined) return 'not measured';
  const isReached = 'atLeast' in bound ? measured >= bound.atLeast : measured <= bound.atMost;
  return isReached ? 'yes' : 'no';
}

/** Reads single numbers out of the results. */
class Reader {
  readonly #results: readonly WorkloadResult[];

  constructor(results: readonly WorkloadResult[]) {
    this.#results = results;
  }

  peer(workload: string, label: string, peer = subject): PeerResult | undefined {
    return this.#case(workload, label)?.peers.find((candidate) => candidate.peer === peer);
  }

  value(workload: string, label: string, figure: Figure, peer = subject): number | undefined {
    return this.peer(workload, label, peer)?.figures[figure]?.median;
  }

  ratio(workload: string, label: string, figure: Figure, peer: string): number | undefined {
    const [own, other] = [this.value(workload, label, figure), this.value(workload, label, figure, peer)];
    return own === undefined || other === undefined ? undefined : own / other;
  }

  #case(workload: string, label: string): CaseResult | undefined {
    const result = this.#results.find((candidate) => candidate.workload === workload);
    return result?.cases.find((testCase) => testCase.label === label);
  }
}

const ORDINARY_LEASE_SHARE = 6 / 30;

/** The ways into the lock, by the peers that stand for them. */
const throughEach = [subject, ...entries.map(({ name }) => name)];

/** The least, when all of them were measured. */
function leastOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.filter((value) => value !== undefined);
  return known.length < values.length ? undefined : Math.min(...known);
}

const atLeastShares = [
  ['1 at once, warm', 0.9],
  ['1 at once, cold', 0.82],
  ['64 at once, warm', 0.95],
  ['64 at once, cold', 0.8],
  ['1,000 at once, warm', 0.85],
] as const;

/** Through each entry, in processes of any age. */
const goalsOfEntries = (read: Reader): Goal[] => [
  ...atLeastShares.map(([label, atLeast]) => ({
    what: `each entry, ${label} ÷ SET NX: the least of them`,
    bound: { atLeast },
    measured: leastOf(throughEach.map((entry) => read.peer('entries', label, entry)?.toBase)),
  })),
  ...['1 at once, warm', '64 at once, warm'].map((label) => ({
    what: `an attempt that fails, ${label} ÷ SET NX`,
    bound: { atLeast: 0.9 },
    measured: read.peer('entries', `an attempt that fails, ${label}`, byTryLock.name)?.toBase,
  })),
];

const goalsOfStarts = (read: Reader): Goal[] =>
  ['ESM', 'CommonJS'].flatMap((form) => [
    {
      what: `${form}: first lock after import, ms`,
      bound: { atMost: 15 },
      measured: read.value('start', form, 'firstLockMs'),
    },
    {
      what: `${form}: import ÷ redlock's, ioredis included`,
      bound: { atMost: 1.1 },
      measured: read.ratio('start', form, 'importMs', redlock5.name),
    },
  ]);

const goalsOfContention = (read: Reader): Goal[] => [
  ...['hold 1 ms', 'two round trips'].map((section) => ({
    what: `6 processes × 2 tasks, ${section}: fairness`,
    bound: { atLeast: 0.95 },
    measured: read.value('mixed', `6 processes × 2 tasks, ${section}`, 'fairness'),
  })),
  {
    what: '8 processes: commands in a script',
    bound: { atMost: 12 },
    measured: read.value('processes', '8 processes, hold 0 ms', 'innerCommands'),
  },
  {
    what: '8 processes: µs of Redis for a script',
    bound: { atMost: 12 },
    measured: read.value('processes', '8 processes, hold 0 ms', 'scriptUs'),
  },
];

/** The goals of the design, in its order, then those that came later. */
export function goals(results: readonly WorkloadResult[]): Goal[] {
  const read = new Reader(results);
  const one = ['uncontended', '1 at once'] as const;
  const many = ['uncontended', '64 at once'] as const;
  const tasks = ['tasks', '50 tasks'] as const;
  const among = (count: number) => ['processes', `${count} processes, hold 0 ms`] as const;
  const handoff = (count: number): Goal => ({
    what: `${count} processes: median handoff ÷ notify-and-retry`,
    bound: { atMost: 0.55 },
    measured: read.ratio(...among(count), 'handoffP50Us', 'notify-and-retry'),
  });
  const commands = (count: number): Goal => ({
    what: `${count} processes: commands for each section`,
    bound: { atMost: 2.05 },
    measured: read.value(...among(count), 'commandsPerOp'),
  });
  const renewing = read.value('held', '10,000 locks', 'clientCpuPercent');
  return [
    { what: 'uncontended: commands', bound: { atMost: 2 }, measured: read.value(...one, 'commandsPerOp') },
    { what: 'uncontended ÷ SET NX', bound: { atLeast: 0.9 }, measured: read.peer(...one)?.toBase },
    {
      what: 'uncontended ÷ our scripts bare',
      bound: { atLeast: 0.95 },
      measured: read.ratio(...one, 'opsPerSecond', 'floor: our scripts'),
    },
    { what: '64 at once ÷ SET NX', bound: { atLeast: 0.85 }, measured: read.peer(...many)?.toBase },
    {
      what: '64 at once: Redis CPU ÷ SET NX',
      bound: { atMost: 1.3 },
      measured: read.ratio(...many, 'redisCpuUs', floor),
    },
    { what: '50 tasks ÷ best peer', bound: { atLeast: 20 }, measured: read.peer(...tasks)?.toBestPeer },
    {
      what: '50 tasks: commands for each section',
      bound: { atMost: 0.1 },
      measured: read.value(...tasks, 'commandsPerOp'),
    },
    {
      what: '50 tasks: a 10 ms timer is late by, p99 ms',
      bound: { atMost: 2 },
      measured: read.value(...tasks, 'timerLateP99Ms'),
    },
    ...[2, 8, 16].map(commands),
    ...[8, 16].map(handoff),
    { what: '8 processes: fairness', bound: { atLeast: 0.9 }, measured: read.value(...among(8), 'fairness') },
    {
      what: '1,000 held locks: commands in a round of renewals',
      bound: { atMost: 15 },
      measured: read.value('held', '1,000 locks', 'commandsPerRenewal'),
    },
    {
      what: '10,000 held locks: % of a core at a lease of 30 s',
      bound: { atMost: 2 },
      measured: renewing === undefined ? undefined : renewing * ORDINARY_LEASE_SHARE,
    },
    {
      what: 'bytes for a held lock',
      bound: { atMost: 1_500 },
      measured: read.value('held', '10,000 locks', 'bytesEach'),
    },
    { what: 'bytes for a waiter', bound: { atMost: 1_000 }, measured: read.value('crowd', '1,000 tasks', 'bytesEach') },
    ...goalsOfEntries(read),
    ...goalsOfStarts(read),
    ...goalsOfContention(read),
  ];
}
