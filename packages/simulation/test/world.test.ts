import { describe, expect, it } from '@jest/globals';
import { inMacrotask, type RunResult, runScenario, type Scenario, scenarioOf } from '../src/index.js';
import { runBundled } from './bundled.js';

const run = (scenario: Scenario) => inMacrotask(() => runScenario(scenario));

describe('the same seed is the same run, to the last event', () => {
  const seeds = [1, 2, 3] as const;

  it('twice in one process, and in another process', async () => {
    const [first, second] = [await run(scenarioOf(seeds[0])), await run(scenarioOf(seeds[0]))];
    expect(second).toEqual(first);
    const elsewhere = await runBundled('digests', seeds);
    const digests = elsewhere.split(' ');
    expect(digests[0]).toBe(first.digest);
    expect(new Set(digests).size).toBe(seeds.length);
    expect(await runBundled('digests', seeds)).toBe(elsewhere);
  });
});

describe('a bug that breaks a promise', () => {
  it('is found, and shrinks by itself to a small scenario that still shows it', async () => {
    const smallest = JSON.parse(await runBundled('shrink')) as RunResult & { again: unknown; told: string };
    expect(smallest).toMatchObject({ violation: { rule: 'exclusion' } });
    const { processes, faults, locks } = smallest.scenario;
    expect(processes.length).toBeLessThanOrEqual(3);
    expect(faults.length).toBeLessThanOrEqual(2);
    expect(locks.length).toBeLessThanOrEqual(2);
    expect(smallest.again).toEqual(smallest.violation);
    expect(smallest.told).toContain('VIOLATION exclusion');
  });
});
