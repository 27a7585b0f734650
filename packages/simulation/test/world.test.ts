import { describe, expect, it } from '@jest/globals';
import type { RunResult, Scripts } from '../src/index.js';
import { runBundled } from './bundled.js';

/** On a machine that is busy elsewhere. */
const PATIENCE_MS = 120_000;

describe('the same seed is the same run, to the last event', () => {
  const seeds = [1, 2, 3] as const;
  const digestsOf = (scripts: Scripts, ...of: readonly number[]) => runBundled('digests', [scripts, ...of]);

  it(
    'twice in one process, and in another process',
    async () => {
      const [again, ...digests] = (await digestsOf('rules', seeds[0], ...seeds)).split(' ');
      expect(digests[0]).toBe(again);
      expect(new Set(digests).size).toBe(seeds.length);
      expect(await digestsOf('rules', ...seeds)).toBe(digests.join(' '));
    },
    PATIENCE_MS,
  );

  it(
    'whether servers execute the scripts or the rules',
    async () => {
      expect(await digestsOf('lua', ...seeds)).toBe(await digestsOf('rules', ...seeds));
    },
    PATIENCE_MS,
  );
});

describe('a bug that breaks a promise', () => {
  it(
    'is found, and shrinks by itself to a small scenario that still shows it',
    async () => {
      const smallest = JSON.parse(await runBundled('shrink')) as RunResult & { again: unknown; told: string };
      expect(smallest).toMatchObject({ violation: { rule: 'exclusion' } });
      const { processes, faults, locks } = smallest.scenario;
      expect(processes.length).toBeLessThanOrEqual(3);
      expect(faults.length).toBeLessThanOrEqual(2);
      expect(locks.length).toBeLessThanOrEqual(2);
      expect(smallest.again).toEqual(smallest.violation);
      expect(smallest.told).toContain('VIOLATION exclusion');
    },
    PATIENCE_MS,
  );
});
