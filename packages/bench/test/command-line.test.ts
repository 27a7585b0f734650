import { describe, expect, it } from '@jest/globals';
import { roster } from '../src/peers/roster.js';
import { planOf } from '../src/run/command-line.js';
import { catalogue } from '../src/workloads/catalogue.js';

describe('the command line', () => {
  it('without arguments means everything', () => {
    const plan = planOf([]);
    expect(plan).toMatchObject({ extent: 'full', present: 'again', command: 'npm run bench' });
    expect(plan.workloads).toHaveLength(catalogue.length);
    expect(plan.peers).toHaveLength(roster.length);
  });

  it('selects workloads and peers, and holdfast always', () => {
    const plan = planOf(['--only', 'tasks, nested', '--peers', 'floor: SET NX']);
    expect(plan.workloads).toEqual(['tasks', 'nested']);
    expect(plan.peers).toEqual(['holdfast', 'floor: SET NX']);
  });

  it('tells the report how to repeat the run, but not where it was kept', () => {
    const { command, out } = planOf(['--rounds', '5', '--out', '/somewhere/else']);
    expect(out).toBe('/somewhere/else');
    expect(command).toBe('npm run bench -- --rounds 5');
  });

  it.each([
    ['an unknown workload', ['--only', 'speed']],
    ['an unknown peer', ['--peers', 'nobody']],
    ['no whole number', ['--rounds', '1.5']],
    ['nothing at all', ['--round-ms', '0']],
    ['what excludes each other', ['--short', '--report']],
    ['an unknown option', ['--fast']],
  ])('refuses %s', (_what, args) => {
    expect(() => planOf(args)).toThrow();
  });
});

describe('the catalogue', () => {
  it('names workloads, and cases within a workload, once each, and gives every workload a part in the short run', () => {
    const unique = (names: string[]) => expect(new Set(names).size).toBe(names.length);
    unique(catalogue.map(({ name }) => name));
    for (const { cases } of catalogue) unique(cases.map(({ label }) => label));
    expect(catalogue.filter(({ cases }) => cases.every(({ inShortRun }) => !inShortRun))).toEqual([]);
  });
});
