import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { Histogram } from '../src/measure/histogram.js';
import { number, withSpread } from '../src/report/numbers.js';
import type { WorkloadResult } from '../src/report/results.js';
import { Store } from '../src/report/store.js';
import { summarize } from '../src/run/alternate.js';

const result: WorkloadResult = {
  workload: 'tasks',
  tookS: 1,
  circumstances: {
    command: 'npm run bench',
    commit: 'abc1234',
    node: '20.0.0',
    redis: '7.0.15',
    packages: { ioredis: '6.0.0', holdfast: '0.1.0' },
    machine: { processor: 'one', cores: 2, memoryGiB: 8, system: 'linux x64' },
    loadBefore: 0.1,
    rounds: 3,
    roundMs: 500,
  },
  cases: [2, 50].map((x) => ({
    label: `${x} tasks`,
    x,
    peers: [
      peer('holdfast', { opsPerSecond: 100_000, commandsPerOp: 0.01, toBestPeer: 50 }),
      peer('redlock 4', { opsPerSecond: 2_000, commandsPerOp: x, toBestPeer: 1, mostInside: 2 }),
      peer('node-redisson', { problem: 'StalledError: not done in 3 s' }),
    ],
  })),
};

interface Shown {
  opsPerSecond?: number;
  commandsPerOp?: number;
  toBestPeer?: number;
  mostInside?: number;
  problem?: string;
}

function peer(name: string, { mostInside = 1, opsPerSecond, commandsPerOp, ...rest }: Shown) {
  const flat = (value: number) => ({ median: value, low: value, high: value });
  const figures = {
    ...(opsPerSecond !== undefined && { opsPerSecond: flat(opsPerSecond) }),
    ...(commandsPerOp !== undefined && { commandsPerOp: flat(commandsPerOp) }),
  };
  return { peer: name, figures, mostInside, failures: [], ...rest };
}

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-bench-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe('the report', () => {
  it('is made of whatever has been measured, and of nothing else', () => {
    const store = new Store(folder);
    expect(readFileSync(store.writeReport(), 'utf8')).toContain('# Benchmarks');
    store.save(result);
    expect(store.load('tasks')).toEqual(result);
    expect(store.load('nested')).toBeUndefined();
    const text = readFileSync(store.writeReport(), 'utf8');
    expect(text).toContain('| holdfast | 100,000 | 0.01 | 50 × |');
    expect(text).not.toContain('Re-entrancy');
  });

  it('says who broke exclusion, who stalled, and which goals were reached', () => {
    const store = new Store(folder);
    store.save(result);
    const text = readFileSync(store.writeReport(), 'utf8');
    expect(text).toContain('broke exclusion: 2 inside');
    expect(text).toContain('StalledError: not done in 3 s');
    expect(text).toContain('| 50 tasks ÷ best peer | ≥ 20 | 50 | yes |');
    expect(text).toContain('| 8 processes: fairness | ≥ 0.9 |  | not measured |');
  });

  it('calls growth by its name, and draws it', () => {
    const store = new Store(folder);
    store.save(result);
    const text = readFileSync(store.writeReport(), 'utf8');
    expect(text).toMatch(/\| holdfast \|.* 0 \(flat\)/);
    expect(text).toMatch(/\| redlock 4 \|.* 1 \(linear\)/);
    const plots = readdirSync(join(folder, 'plots'));
    expect(plots).toContain('tasks.svg');
    for (const plot of plots) {
      expect(text).toContain(`plots/${plot}`);
      const svg = readFileSync(join(folder, 'plots', plot), 'utf8');
      expect(svg).toMatch(/^<svg [^]*holdfast[^]*<\/svg>\n$/);
      expect(svg).not.toMatch(/class=|<style/); // they would be others in each run
    }
  });
});

describe('rounds', () => {
  it('give medians with spread, and percentiles of all rounds together', () => {
    const round = (ops: number, latencies: number[]) => {
      const acquire = new Histogram();
      for (const latency of latencies) acquire.record(latency);
      return { figures: { opsPerSecond: ops }, latencies: { acquire }, failures: [] };
    };
    const few = Array.from({ length: 60 }, () => 10);
    const found = summarize([round(3, few), round(1, few), round(2, few)]);
    expect(found.opsPerSecond).toEqual({ median: 2, low: 1, high: 3 });
    expect(found.acquireP99Us?.median).toBeCloseTo(10, 0); // no round alone has 100
    expect(found).not.toHaveProperty('acquireP999Us');
    expect(found).not.toHaveProperty('handoffP50Us');
  });
});

describe('numbers', () => {
  it.each([
    [0, '0'],
    [1_234_567, '1,230,000'],
    [12.34, '12.3'],
    [0.045_67, '0.046'],
    [2, '2'],
  ])('%p is shown as %p', (value, text) => expect(number(value)).toBe(text));

  it('shows a spread that can be seen', () => {
    expect(withSpread({ median: 100, low: 90, high: 110 })).toBe('100 ±10 %');
    expect(withSpread({ median: 100, low: 99.5, high: 100.5 })).toBe('100');
    expect(withSpread({ median: 0, low: 0, high: 0 })).toBe('0');
  });
});
