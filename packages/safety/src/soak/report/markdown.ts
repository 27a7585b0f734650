/** The figures of a run as they stand in docs/soak.md. */

import type { JudgedTrend, Moment, SoakResult } from '../result.js';
import { WARM_UP_MINUTES } from '../judge/trends.js';

const MIB = 2 ** 20;

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');
const tenths = (value: number): string =>
  value.toLocaleString('en-US', { minimumFractionDigits: 1, maximumFractionDigits: 1 });

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [line(head), `|${'---|'.repeat(head.length)}`, ...rows.map(line)].join('\n');
}

function trendRow({ what, unit, mean, perMinute, spread, tolerated, tendency }: JudgedTrend): string[] {
  const number = (value: number) => (unit === 'MiB' ? value.toFixed(3) : tenths(value));
  return [
    what,
    `${unit === 'MiB' ? tenths(mean) : whole(mean)} ${unit}`,
    `${number(perMinute)} ± ${number(spread)}`,
    number(tolerated),
    tendency,
  ];
}

function momentRow(name: string, { processes, server }: Moment): string[] {
  const sum = (of: (one: Moment['processes'][number]) => number) => processes.reduce((all, one) => all + of(one), 0);
  return [
    name,
    processes.some((one) => one.objects === undefined) ? '' : whole(sum((one) => one.objects ?? 0)),
    tenths(sum((one) => one.heapBytes) / MIB),
    tenths(sum((one) => one.rssBytes) / MIB),
    String(sum((one) => one.timers)),
    String(server.connections),
    String(server.subscriptions),
    tenths(server.usedMemoryBytes / MIB),
    whole(server.locks),
    whole(server.lineKeys),
    whole(server.tombstones),
  ];
}

/** Some of the moments, evenly spread. */
function excerpt(moments: readonly Moment[]): readonly Moment[] {
  const every = Math.max(1, Math.ceil(moments.length / 10));
  return moments.filter((_, index) => index % every === every - 1);
}

export function figures(result: SoakResult): string {
  const { turns, load, quiet, renewals } = result;
  const faults = Object.values(result.faults).reduce((sum, count) => sum + count, 0);
  const failed = result.checks.filter(({ passed }) => !passed).length;
  return `\`${result.command}\`, commit ${result.commit}, ${result.startedAt.slice(0, 10)}. ${result.circumstances}.
**${result.passed ? 'Passed' : `Not passed: ${failed} of ${result.checks.length} checks failed`}.**

${whole(result.locks)} locks held and ${whole(result.waiters)} calls waiting in ${result.processes} processes, for ${result.minutes} minutes; ${whole(faults)} faults; ${whole(turns.handovers)} times a lock went to
a process that waited for it. Holds lost: ${result.losses.length}. Calls that failed: ${result.failures.length}. Renewals that extended a lease: ${whole(renewals.renewed)}; told that the lock is not
theirs any more: ${renewals.lost}; without an answer, tried again: ${whole(renewals.unknown)}.

### Checks

${table(
  ['what', 'seen', ''],
  result.checks.map(({ what, seen, passed }) => [what, seen.replaceAll('|', '\\|'), passed ? 'passed' : '**failed**']),
)}

### Trends

After ${WARM_UP_MINUTES} minutes of warm-up.

${table(['what', 'mean', 'slope in a minute ± 95 %', 'tolerated', 'so it is'], result.trends.map(trendRow))}

### What was in hand

All processes together; memory in MiB.

${table(
  [
    'minute',
    'objects',
    'heap',
    'resident',
    'timers',
    'connections',
    'subscriptions',
    'server memory',
    'locks',
    'keys of lines',
    'tombstones',
  ],
  [
    momentRow('before the faults', quiet.before),
    ...excerpt(result.moments).map((moment) => momentRow(tenths(moment.minute), moment)),
    momentRow('healed', quiet.after),
  ],
)}

### Hand-overs

${table(
  ['milliseconds', 'median', '99 %', 'most'],
  [
    ['from the end of a turn to the next', ...[turns.idleMs.median, turns.idleMs.p99, turns.idleMs.most].map(tenths)],
    ['a wait, from call to lock', ...[turns.waitMs.median, turns.waitMs.p99, turns.waitMs.most].map(whole)],
  ],
)}

${whole(turns.inTurn)} of ${whole(turns.handovers)} went to the process that had called first. Turns of a lock: ${turns.leastOfALock} to ${turns.mostOfALock}.

### Load

${table(
  ['', 'scripts a second', 'Redis, of a core', 'the processes together, of a core', 'proxies and observer, of a core'],
  (['quiet', 'faults'] as const).map((when) => [
    when === 'quiet' ? 'nothing but renewing and waiting' : 'turns and faults, looking included',
    whole(load[when].scriptsPerSecond),
    `${whole(load[when].redisCpuPercent)} %`,
    `${whole(load[when].processesCpuPercent)} %`,
    `${whole(load[when].proxiesCpuPercent)} %`,
  ]),
)}

Set up: all locks held after ${tenths(result.setUpSeconds.holds)} s, all waiters in line ${tenths(result.setUpSeconds.waiters)} s later. The longest time an event loop stood still: ${whole(result.longestStallMs)} ms.

### Faults

${table(
  ['fault', 'times'],
  Object.entries(result.faults).map(([fault, times]) => [fault, String(times)]),
)}
`;
}
