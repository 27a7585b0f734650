import { describe, expect, it } from '@jest/globals';
import { inMacrotask, type RunResult, runScenario, type Scenario, scenarioOf } from '../src/index.js';
import { runBundled } from './bundled.js';

const run = (scenario: Scenario) => inMacrotask(() => runScenario(scenario));

describe('the same seed is the same run, to the last event', () => {
  const seeds = [1, 2, 3];

  it('twice in one process, and in another process', async () => {
    const digests: string[] = [];
    for (const seed of seeds) {
      const [first, second] = [await run(scenarioOf(seed)), await run(scenarioOf(seed))];
      expect(second.counts).toEqual(first.counts);
      expect(second.digest).toBe(first.digest);
      digests.push(first.digest);
    }
    expect(new Set(digests).size).toBe(seeds.length);
    const elsewhere = await runBundled('digests', seeds);
    expect(elsewhere.split(' ')).toEqual(digests);
  });
});

describe('a bug that breaks a promise', () => {
  it('is found, and shrinks by itself to a small scenario that still shows it', async () => {
    const smallest = JSON.parse(await runBundled('shrink')) as RunResult & { again: unknown; last: string };
    expect(smallest).toMatchObject({ violation: { rule: 'exclusion' } });
    const { processes, faults, locks } = smallest.scenario;
    expect(processes.length).toBeLessThanOrEqual(3);
    expect(faults.length).toBeLessThanOrEqual(2);
    expect(locks.length).toBeLessThanOrEqual(2);
    expect(smallest.again).toEqual(smallest.violation);
    expect(smallest.last).toContain('VIOLATION exclusion');
  });
});
