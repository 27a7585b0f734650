import type { JudgedTrend, Moment } from '../result.js';
import type { Sample } from '../worker/messages.js';
import { tendencyOf, trendOf } from './trend.js';

/** Not judged: V8 compiles, tables grow to their size, allocators fill their pages. */
export const WARM_UP_MINUTES = 5;
/** Shorter runs are not judged by trends. */
export const LEAST_MINUTES = 10;

interface Quantity {
  readonly what: string;
  readonly unit: JudgedTrend['unit'];
  /** Growth in a minute that would not matter, as a part of the mean. */
  readonly toleratedShare: number;
  /** And so much for each process: what V8 learns about the code goes on for long and is no object. */
  readonly toleratedEach?: number;
  readonly read: (moment: Moment, earlier: Moment) => number;
}

const MIB = 2 ** 20;

const sum = (of: (sample: Sample) => number) => (moment: Moment) =>
  moment.processes.reduce((total, sample) => total + of(sample), 0);

const quantities: readonly Quantity[] = [
  {
    what: 'heap, all processes',
    unit: 'MiB',
    toleratedShare: 0.001,
    toleratedEach: 1 / 16,
    read: sum((one) => one.heapBytes / MIB),
  },
  {
    what: 'resident memory, all processes',
    unit: 'MiB',
    toleratedShare: 0.005,
    read: sum((one) => one.rssBytes / MIB),
  },
  {
    what: 'memory of the server',
    unit: 'MiB',
    toleratedShare: 0.002,
    read: ({ server }) => server.usedMemoryBytes / MIB,
  },
  {
    what: 'keys, tombstones apart',
    unit: 'keys',
    toleratedShare: 0.000_5,
    read: ({ server }) => server.locks + server.lineKeys + server.otherKeys,
  },
  {
    what: 'scripts executed',
    unit: 'commands a second',
    toleratedShare: 0.005,
    read: (now, earlier) => (now.totals.scripts - earlier.totals.scripts) / ((now.minute - earlier.minute) * 60),
  },
];

/** Of the moments under faults, after the warm-up; nothing when there are too few. */
export function judgedTrends(moments: readonly Moment[]): JudgedTrend[] {
  const readings = moments.flatMap((moment, index) => {
    const earlier = moments[index - 1];
    return earlier === undefined || moment.minute < WARM_UP_MINUTES ? [] : [{ moment, earlier }];
  });
  if (readings.length < 3) return [];
  return quantities.map(({ what, unit, toleratedShare, toleratedEach = 0, read }) => {
    const trend = trendOf(
      readings.map(({ moment, earlier }) => ({ minute: moment.minute, value: read(moment, earlier) })),
    );
    const tolerated = trend.mean * toleratedShare + toleratedEach * (moments[0]?.processes.length ?? 0);
    return { ...trend, what, unit, tolerated, tendency: tendencyOf(trend, tolerated) };
  });
}
