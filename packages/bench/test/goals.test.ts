import { describe, expect, it } from '@jest/globals';
import type { Figure } from '../src/measure/figures.js';
import { type Goal, goals, reached } from '../src/report/goals.js';
import type { PeerResult, WorkloadResult } from '../src/report/results.js';
import { catalogue } from '../src/workloads/catalogue.js';

const circumstances = {} as WorkloadResult['circumstances']; // goals do not look at them

type Shown = Partial<Record<Figure | 'toBase', number>>;

function resultOf(workload: string, cases: Record<string, Record<string, Shown>>): WorkloadResult {
  const peer = (name: string, { toBase, ...figures }: Shown): PeerResult => ({
    peer: name,
    figures: Object.fromEntries(
      Object.entries(figures).map(([figure, median]) => [figure, { median, low: median, high: median }]),
    ),
    ...(toBase !== undefined && { toBase }),
    ...{ mostInside: 1, failures: [] },
  });
  const all = Object.entries(cases).map(([label, peers]) => ({
    label,
    peers: Object.entries(peers).map(([name, shown]) => peer(name, shown)),
  }));
  return { workload, circumstances, tookS: 1, cases: all };
}

/** The one goal whose name begins so. */
function goalOf(all: readonly Goal[], what: string): Goal {
  const [goal, ...others] = all.filter((candidate) => candidate.what.startsWith(what));
  if (goal === undefined || others.length > 0) throw new Error(`${others.length + 1} goals are called ${what}`);
  return goal;
}

const shares = (withLock: number, acquire: number, tryLock?: number) => ({
  ...{ holdfast: { toBase: withLock }, acquire: { toBase: acquire } },
  ...(tryLock !== undefined && { tryLock: { toBase: tryLock } }),
});

describe('goals', () => {
  it('that were measured by nobody are neither reached nor missed', () => {
    expect(new Set(goals([]).map(reached))).toEqual(new Set(['not measured']));
  });

  it('are asked of every entry: the least of them counts, and only when all were measured', () => {
    const found = goals([
      resultOf('entries', {
        '1 at once, warm': shares(0.95, 0.93, 0.91),
        '1 at once, cold': shares(0.9, 0.7, 0.9),
        '64 at once, warm': shares(0.99, 0.99),
        'an attempt that fails, 1 at once, warm': { tryLock: { toBase: 0.89 } },
      }),
    ]);
    const warm = goalOf(found, 'each entry, 1 at once, warm');
    expect([warm.measured, reached(warm)]).toEqual([0.91, 'yes']);
    const cold = goalOf(found, 'each entry, 1 at once, cold');
    expect([cold.measured, reached(cold)]).toEqual([0.7, 'no']);
    expect(reached(goalOf(found, 'each entry, 64 at once, warm'))).toBe('not measured');
    expect(reached(goalOf(found, 'an attempt that fails, 1 at once, warm'))).toBe('no');
  });

  it('of a start are in ms, and divided by what another library needs', () => {
    const start = { holdfast: { importMs: 55, firstLockMs: 15 }, 'redlock 5 beta': { importMs: 50 } };
    const found = goals([resultOf('start', { ESM: start })]);
    const first = goalOf(found, 'ESM: first lock');
    expect([first.measured, reached(first)]).toEqual([15, 'yes']);
    expect(goalOf(found, 'ESM: import').measured).toBeCloseTo(1.1);
    expect(reached(goalOf(found, 'CommonJS: import'))).toBe('not measured');
  });

  it('of processes that compete are about shares and about what a script costs', () => {
    const found = goals([
      resultOf('mixed', { '6 processes × 2 tasks, hold 1 ms': { holdfast: { fairness: 0.96 } } }),
      resultOf('processes', { '8 processes, hold 0 ms': { holdfast: { innerCommands: 10.5, scriptUs: 12.5 } } }),
    ]);
    expect(goalOf(found, '6 processes × 2 tasks, hold 1 ms').measured).toBe(0.96);
    expect(reached(goalOf(found, '8 processes: commands in a script'))).toBe('yes');
    expect(reached(goalOf(found, '8 processes: µs of Redis'))).toBe('no');
  });

  it('are read from cases that are measured', () => {
    // Everybody reaches everything: what is still not measured looks for a case, a peer or a figure that is not there.
    const perfect = { toBase: 1, toBestPeer: 1 };
    const peers = [
      'holdfast',
      'acquire',
      'tryLock',
      'floor: SET NX',
      'floor: our scripts',
      'notify-and-retry',
      'redlock 5 beta',
    ];
    const results = catalogue.map(({ name, cases, columns }) => {
      const figures = Object.fromEntries(columns.map((figure) => [figure, { median: 1, low: 1, high: 1 }]));
      const all = peers.map((peer) => ({ peer, figures, ...perfect, mostInside: 1, failures: [] }));
      return { workload: name, circumstances, tookS: 1, cases: cases.map(({ label }) => ({ label, peers: all })) };
    });
    const missing = goals(results).filter((goal) => reached(goal) === 'not measured');
    expect(missing.map(({ what }) => what)).toEqual([]);
  });
});
