import { describe, expect, it } from '@jest/globals';
import { roster } from '../src/peers/roster.js';
import { planOf } from '../src/run/command-line.js';
import { catalogue } from '../src/workloads/catalogue.js';
import { besideLanguages } from '../src/workloads/languages.js';

describe('the command line', () => {
  it('without arguments means everything', () => {
    const plan = planOf([]);
    expect(plan).toMatchObject({ extent: 'full', present: 'again', command: 'npm run bench' });
    expect(plan.languages).toEqual([]);
    expect(plan.workloads).toHaveLength(catalogue.length - besideLanguages.length);
    expect(plan.peers).toEqual(roster.filter(({ runsIn }) => runsIn === undefined).map(({ name }) => name));
  });

  it('with another language means the workloads for that, and its libraries beside ours', () => {
    const plan = planOf(['--java']);
    expect(plan).toMatchObject({ languages: ['java'], command: 'npm run bench -- --java' });
    expect(plan.workloads).toEqual(besideLanguages.map(({ name }) => name));
    expect(plan.peers).toEqual(expect.arrayContaining(['holdfast', 'RLock', 'floor: SET NX, Redisson']));
    expect(plan.peers).not.toContain('rueidislock');
    expect(planOf(['--java', '--go']).languages).toEqual(['java', 'go']);
    expect(planOf(['--java', '--only', 'languages']).workloads).toEqual(['languages']);
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
    ['a peer whose language was not asked for', ['--peers', 'RLock']],
    ['no whole number', ['--rounds', '1.5']],
    ['nothing at all', ['--round-ms', '0']],
    ['what excludes each other', ['--short', '--report']],
    ['an unknown option', ['--fast']],
  ])('refuses %s', (_what, args) => {
    expect(() => planOf(args)).toThrow();
  });
});

describe('the catalogue', () => {
  it('measures what runs in another language only in the workloads that were made for it', () => {
    const abroad = roster.filter(({ runsIn }) => runsIn !== undefined);
    const suiting = catalogue.filter((workload) => abroad.some((peer) => workload.suits(peer)));
    expect(suiting).toEqual(besideLanguages);
  });

  it('measures the other entries into the re-entrant lock in a workload of their own', () => {
    const others = roster.filter(({ kind }) => kind === 'entry');
    expect(others.map(({ name }) => name)).toEqual(['acquire', 'tryLock']);
    const suiting = catalogue.filter((workload) => others.some((peer) => workload.suits(peer)));
    expect(suiting.map(({ name }) => name)).toEqual(['entries']);
  });

  it('names workloads, and cases within a workload, once each, and gives every workload a part in the short run', () => {
    const unique = (names: string[]) => expect(new Set(names).size).toBe(names.length);
    unique(catalogue.map(({ name }) => name));
    for (const { cases } of catalogue) unique(cases.map(({ label }) => label));
    expect(catalogue.filter(({ cases }) => cases.every(({ inShortRun }) => !inShortRun))).toEqual([]);
  });
});
