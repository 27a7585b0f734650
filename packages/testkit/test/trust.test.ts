import { type ChildProcess, fork, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
// @ts-expect-error plain JavaScript, like all of scripts/
import { startLoad } from '../../../scripts/trust/load.mjs';
// @ts-expect-error plain JavaScript
import { startStalls } from '../../../scripts/trust/stalls.mjs';
// @ts-expect-error plain JavaScript
import { everFailed, filesOf, isGreen, reasonOf, report, runLine, slowest } from '../../../scripts/trust/report.mjs';
import { waitUntil } from '../src/index.js';

type Failure = { title: string; why: string };
const file = (path: string, failures: Failure[] = [], more = {}) => ({
  project: 'core',
  path: `/home/${path}`,
  ms: 1_000,
  tests: 3,
  failures,
  ...more,
});
const run = (files: ReturnType<typeof file>[], exitCode = 0) => ({ exitCode, ms: 61_000, files });
const failure = (title: string, why = 'Error: no') => ({ title, why });

describe('a run', () => {
  it('is green only when jest came to a good end, tests were run, and none failed', () => {
    expect(isGreen(run([file('a')]))).toBe(true);
    expect(isGreen(run([file('a')], 1))).toBe(false);
    expect(isGreen(run([file('a', [failure('x')])]))).toBe(false);
    expect(isGreen(run([]))).toBe(false);
    expect(isGreen(run([file('a', [], { tests: 0 })]))).toBe(false);
  });

  it('is told in a line, with an exit code that no test explains', () => {
    expect(runLine(run([file('a'), file('b')]), { number: 1, of: 5 })).toBe(
      'run 1/5  green  6 tests, 0 failed  (61 s)',
    );
    expect(runLine(run([file('a')], 130), { number: 2, of: 5 })).toBe(
      'run 2/5  RED  3 tests, 0 failed, exit code 130  (61 s)',
    );
  });

  it('is known up to where it was broken off', () => {
    const whole = JSON.stringify(file('a'));
    expect(filesOf(`${whole}\n${whole.slice(0, 20)}`)).toEqual([file('a')]);
    expect(filesOf('')).toEqual([]);
  });
});

describe('what ever failed', () => {
  it('is told once for each test, with how often and why, the most frequent first', () => {
    const runs = [
      run([file('a', [failure('seldom')]), file('b', [failure('often', 'Error: one')])], 1),
      run([file('a'), file('b', [failure('often', 'Error: two')])], 1),
      run([file('a'), file('b', [failure('often', 'Error: two')])], 1),
    ];
    expect(everFailed(runs, '/home/')).toEqual([
      {
        test: '[core] b: often',
        times: 3,
        reasons: [
          ['Error: two', 2],
          ['Error: one', 1],
        ],
      },
      { test: '[core] a: seldom', times: 1, reasons: [['Error: no', 1]] },
    ]);
  });

  it('keeps tests of one title apart, by file and by project', () => {
    const runs = [
      run([file('a', [failure('x')]), file('b', [failure('x')]), file('a', [failure('x')], { project: 'other' })], 1),
    ];
    expect(everFailed(runs, '/home/').map(({ test }: { test: string }) => test)).toEqual([
      '[core] a: x',
      '[core] b: x',
      '[other] a: x',
    ]);
  });

  it('has as its reason what was expected and what came, without colours, and the line of the test', () => {
    const message = [
      'Error: \u001b[2mexpect(\u001b[22m\u001b[31mreceived\u001b[39m).toBe(expected)',
      '',
      'Expected: 1',
      'Received: 2',
      '    at Object.toBe (/home/node_modules/expect/index.js)',
      '    at /home/packages/core/test/a.test.ts:12:34',
      '    at run (/home/packages/core/test/b.test.ts:56:78)',
    ].join('\n');
    expect(reasonOf(message)).toBe('Error: expect(received).toBe(expected) · Expected: 1 · Received: 2 (a.test.ts:12)');
    expect(reasonOf('x'.repeat(1_000))).toHaveLength(240);
  });
});

describe('the report', () => {
  it('counts green runs among those that were wanted, also when it was broken off', () => {
    expect(report([run([file('a')])], { root: '/home/', of: 5 })).toMatch(/\n1 of 5 runs green$/);
    expect(report([], { root: '/home/', of: 5 })).toMatch(/\n0 of 5 runs green$/);
    expect(report([run([file('a', [failure('x', 'Error: y')])], 1)], { root: '/home/', of: 1 })).toMatch(
      /1 of 1 {2}\[core\] a: x\n {6}1 x Error: y\n\n0 of 1 runs green$/,
    );
  });

  it('names the slowest files by the longest that they took', () => {
    const runs = [run([file('a', [], { ms: 5 }), file('b', [], { ms: 3 })]), run([file('b', [], { ms: 9 })])];
    expect(slowest(runs, '/home/', 1)).toEqual([['[core] b', 9]]);
  });
});

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

describe('the load', () => {
  it('is over when it is stopped', async () => {
    const { pids, stop } = await startLoad(2);
    expect(pids.map(isAlive)).toEqual([true, true]);
    await stop();
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it('is over when the process that started it was killed', async () => {
    const load = new URL('../../../scripts/trust/load.mjs', import.meta.url);
    const program = `
      const { startLoad } = await import(${JSON.stringify(load.href)});
      process.send((await startLoad(1)).pids);
    `;
    const parent = fork('-', [], { execArgv: ['--input-type=module', '--eval', program] });
    const [pids] = (await once(parent, 'message')) as [number[]];
    expect(pids.map(isAlive)).toEqual([true]);
    parent.kill('SIGKILL');
    await waitUntil(() => !pids.some(isAlive), { what: 'the burning process gone' });
  });
});

(process.platform === 'linux' ? describe : describe.skip)('stalls', () => {
  const standsStill = (pid: number) => /^State:\s+T/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));

  it('are for Linux, which is said in a line elsewhere', () => {
    const elsewhere = 'data:text/javascript,Object.defineProperty(process,"platform",{value:"darwin"})';
    const trust = fileURLToPath(new URL('../../../scripts/trust.mjs', import.meta.url));
    const said = spawnSync(process.execPath, [
      '--import',
      elsewhere,
      trust,
      '--runs',
      '1',
      '--stalls',
      '--',
      '--version',
    ]);
    expect(String(said.stderr)).toBe('--stalls works on Linux only: it finds the processes to stop in /proc\n');
    expect(said.status).toBe(1);
  });

  it('make a process stand still that was called so, and no other, and are over when they are stopped', async () => {
    const [called, other] = ['holdfast-stands-still', 'holdfast-goes-on'].map((name) =>
      fork('-', [name], {
        execArgv: ['--input-type=module', '--eval', "process.on('message', () => {}); process.send('here');"],
      }),
    ) as [ChildProcess, ChildProcess];
    const stalls = startStalls('holdfast-stands-still');
    try {
      await Promise.all([once(called, 'message'), once(other, 'message')]);
      let stoodStill = 0;
      await waitUntil(
        () => {
          if (standsStill(called.pid as number)) stoodStill++;
          return stoodStill > 0 && !standsStill(called.pid as number);
        },
        { what: 'a process that stood still and goes on' },
      );
      await stalls.stop();
      expect(stalls.count).toBeGreaterThan(0);
      expect([called, other].map(({ pid }) => standsStill(pid as number))).toEqual([false, false]);
    } finally {
      await stalls.stop();
      for (const child of [called, other]) child.kill('SIGKILL');
    }
  });
});
