import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { build } from 'esbuild';
import { inMacrotask, runScenario, type Scenario, scenarioOf, shrink } from '../src/index.js';

const run = (scenario: Scenario) => inMacrotask(() => runScenario(scenario));

describe('the same seed is the same run, to the last event', () => {
  const seeds = [1, 2, 3, 4, 5, 6];
  const script = join(fileURLToPath(new URL('../', import.meta.url)), 'node_modules/.cache/digests.mjs');
  beforeAll(async () => {
    await build({
      entryPoints: [fileURLToPath(new URL('digests.script.ts', import.meta.url))],
      outfile: script,
      bundle: true,
      platform: 'node',
      format: 'esm',
      conditions: ['@holdfast/source'],
      external: ['ioredis', '@testcontainers/redis'],
      logLevel: 'error',
    });
  });

  it('twice in one process, and in another process', async () => {
    const digests: string[] = [];
    for (const seed of seeds) {
      const [first, second] = [await run(scenarioOf(seed)), await run(scenarioOf(seed))];
      expect(second.counts).toEqual(first.counts);
      expect(second.digest).toBe(first.digest);
      digests.push(first.digest);
    }
    expect(new Set(digests).size).toBe(seeds.length);
    const elsewhere = execFileSync(process.execPath, [script, ...seeds.map(String)], { encoding: 'utf8' });
    expect(elsewhere.trim().split(' ')).toEqual(digests);
  });
});

describe('a bug that breaks a promise', () => {
  /** Clocks that lose a fifth are far beyond the promised hundredth: leases are believed for too long. */
  const slow = (scenario: Scenario): Scenario => ({
    ...scenario,
    processes: scenario.processes.map((plan) => ({ ...plan, rate: 0.8 })),
  });

  it('is found, and shrinks by itself to a small scenario that still shows it', async () => {
    for (let seed = 1; ; seed++) {
      expect(seed).toBeLessThan(60);
      const failed = await run(slow(scenarioOf(seed, 'broken')));
      if (failed.violation?.rule !== 'exclusion') continue;
      const { result } = await inMacrotask(() => shrink(failed));
      expect(result.violation?.rule).toBe('exclusion');
      const { processes, faults, locks } = result.scenario;
      expect(processes.length).toBeLessThanOrEqual(3);
      expect(faults.length).toBeLessThanOrEqual(2);
      expect(locks.length).toBeLessThanOrEqual(2);
      // And it can be read.
      const { trace, violation } = await inMacrotask(() => runScenario(result.scenario, { trace: 'with text' }));
      expect(violation).toEqual(result.violation);
      expect(trace.at(-1)).toContain('VIOLATION exclusion');
      return;
    }
  });
});
