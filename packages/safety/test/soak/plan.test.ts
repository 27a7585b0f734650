import { describe, expect, it } from '@jest/globals';
import { planOf } from '../../src/soak/plan.js';

describe('the command line of the soak', () => {
  it('without arguments means all of it, with a fresh seed', () => {
    expect(planOf([], 42)).toMatchObject({
      extent: 'full',
      minutes: 20,
      processes: 8,
      locks: 10_000,
      seed: 42,
      command: 'npm run soak -- --seed 42',
    });
  });

  it('tells how to repeat a run, but not where it was kept', () => {
    const plan = planOf(['--short', '--locks', '100', '--seed', '7', '--out', '/somewhere'], 42);
    expect(plan).toMatchObject({ extent: 'short', locks: 100, seed: 7, out: '/somewhere' });
    expect(plan.command).toBe('npm run soak -- --short --locks 100 --seed 7');
  });

  it.each([
    ['no time', ['--minutes', '0']],
    ['one process', ['--processes', '1']],
    ['half a lock', ['--locks', '0.5']],
    ['two extents', ['--short', '--report']],
  ])('refuses %s', (_, args) => {
    expect(() => planOf(args, 1)).toThrow(RangeError);
  });
});
