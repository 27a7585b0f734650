import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '@holdfast/testkit';
import { ordersOf } from '../src/campaign/command-line.js';
import { withResults } from '../src/campaign/report.js';
import type { EpochResult } from '../src/campaign/result.js';
import { countUpdates } from '../src/campaign/updates.js';
import { chooseNemeses, classesOn } from '../src/faults/catalogue.js';
import type { HistoryEvent } from '../src/history/event.js';

const fresh = () => 42;

const result: EpochResult = {
  at: '2026-01-02T03:04:05.000Z',
  commit: 'abc',
  topology: 'single',
  className: 'crash-and-network',
  seed: 7,
  seconds: 36,
  nemeses: ['reset'],
  calmRate: 900,
  holds: 12_345,
  local: 10_000,
  reentries: 10,
  misses: 5,
  losses: 2,
  faults: { reset: 30, partition: 2 },
  missedStrikes: 0,
  longestLastTurnMs: 20,
  events: 50_000,
  crossProcess: 700,
  updates: 100,
  staleUpdates: 1,
  verdict: 'passed',
  findings: [],
};

describe('what to run', () => {
  it('is the same epoch again when its seed is named', () => {
    const run = ordersOf(['--seed', '5'], fresh);
    expect(run.seedOf(0)).toBe(5);
    const third = run.seedOf(2);
    expect(ordersOf(['--seed', String(third), '--epochs', '1'], fresh).seedOf(0)).toBe(third);
  });

  it('ends with both goals when there are some, and after a minute when there are none', () => {
    expect(ordersOf(['--holds', '1000'], fresh)).toMatchObject({ holds: 1_000, faults: 0, minutes: Infinity });
    expect(ordersOf([], fresh)).toMatchObject({ holds: Infinity, faults: Infinity, minutes: 1, results: undefined });
  });

  it('is semaphores only where there are some, under faults that they can be judged by', () => {
    expect(ordersOf(['--workload', 'permits'], fresh)).toMatchObject({
      className: 'crash-and-network',
      topologies: ['single', 'sentinel', 'cluster'],
    });
    expect(() => ordersOf(['--workload', 'permits', '--topology', 'majority'], fresh)).toThrow('by majority');
    expect(() => ordersOf(['--workload', 'permits', '--class', 'loss-of-data'], fresh)).toThrow('crash-and-network');
  });

  it('names what it does not know', () => {
    expect(() => ordersOf(['--topology', 'ring'], fresh)).toThrow('single, sentinel, cluster');
    expect(() => ordersOf(['--holds', 'many'], fresh)).toThrow(RangeError);
  });
});

describe('the faults of an epoch', () => {
  const names = (seed: number) => chooseNemeses(seededRandom(seed), 'cluster', 'loss-of-data').map(({ name }) => name);

  it('are drawn from its seed', () => {
    expect(names(3)).toEqual(names(3));
    expect(new Set([1, 2, 3, 4, 5].map((seed) => names(seed).join())).size).toBeGreaterThan(1);
  });

  it('never take a lock from its holder where nothing is excused', () => {
    for (const topology of ['single', 'sentinel', 'cluster'] as const) {
      for (let seed = 0; seed < 50; seed++) {
        const chosen = chooseNemeses(seededRandom(seed), topology, 'crash-and-network').map(({ name }) => name);
        expect(chosen).not.toEqual(
          expect.arrayContaining([expect.stringMatching(/^(del|force|master-change|clock-jump)$/)]),
        );
      }
    }
  });

  it('make a class of their own only where the topology has them', () => {
    expect(classesOn('cluster')).toEqual(['crash-and-network', 'loss-of-data']);
  });
});

it('an update counts as stale when its writer knew afterwards that its lock was gone', () => {
  const level = { worker: 'w', lock: 'l', hold: 1, scope: 1, type: 'event' } as const;
  const events: HistoryEvent[] = [
    { ...level, at: 1, f: 'store', value: 1, after: '0:nobody' },
    { ...level, at: 2, f: 'work', state: 'held' },
    { ...level, at: 3, f: 'store', value: 2, after: '1:w' },
    { ...level, at: 4, f: 'work', state: 'lost' },
    { ...level, at: 5, f: 'work', state: 'lost' },
  ];
  expect(countUpdates(events)).toEqual({ updates: 2, staleUpdates: 1 });
});

describe('the report', () => {
  const page = 'before <!-- results -->former<!-- end of results --> after';

  it('replaces the results of the page, and nothing else', () => {
    const written = withResults(page, [result]);
    expect(written).toMatch(/^before <!-- results -->[^]*12,345[^]*<!-- end of results --> after$/);
    expect(written).not.toContain('former');
    expect(withResults(written, [result])).toBe(written);
  });

  it('counts no epoch that counts for nothing, and names each that was violated', () => {
    const violated: EpochResult = { ...result, seed: 8, verdict: 'violated', findings: ['overlap of x'] };
    const useless: EpochResult = { ...result, holds: 99_999, verdict: 'counts for nothing' };
    const written = withResults(page, [result, violated, useless]);
    expect(written).toContain('24,690');
    expect(written).toContain('seed 8, commit abc: overlap of x');
    expect(written).toContain('1 more epochs count for nothing');
  });
});
