// A copy of the repository in which one mutant at a time is tried. The work tree is never touched.
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { copyRepository } from './copy.mjs';
import { patch } from './mutant.mjs';

/** All the tests that one mutant names: those of growth take minutes on a busy machine. Reaching it is no verdict. */
const limitMs = 600_000;

/** The first words of a failure, and what differs. */
function essence(message) {
  const lines = stripVTControlCharacters(message)
    .split('\n')
    .map((line) => line.trim());
  const telling = lines.filter(
    (line, index) => index === 0 || /^(Expected|Received|[-+] +(?!Expected|Received))/.test(line),
  );
  return telling
    .slice(0, 4)
    .join('; ')
    .replace(/^Error: /, '')
    .slice(0, 160);
}

export class Workshop {
  #folder = mkdtempSync(join(tmpdir(), 'holdfast-mutants-'));
  #copy = join(this.#folder, 'holdfast');
  #report = join(this.#folder, 'jest.json');

  constructor() {
    copyRepository(this.#copy);
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Titles of the named tests that pass on the unbroken code, in one of two tries: some measure time, and the machine may be
   * busy with something else.
   */
  async passing(mutants) {
    const passed = new Set();
    if (mutants.length === 0) return passed;
    const allPass = async () => {
      const tests = await this.#jest(mutants);
      for (const { title, status } of tests) if (status === 'passed') passed.add(title);
      return tests.every(({ title, status }) => status !== 'failed' || passed.has(title));
    };
    if (!(await allPass())) await allPass();
    return passed;
  }

  /**
   * Which test caught it and what that said first (`caughtBy`, `told`), or `why` none did; and how long it took, in `ms`.
   *
   * @param {Set<string>} passing the titles that pass without it
   */
  async verdictOn(mutant, passing) {
    const startedAt = performance.now();
    const verdict = await this.#verdictOn(mutant, passing);
    return { ...verdict, ms: Math.round(performance.now() - startedAt) };
  }

  async #verdictOn(mutant, passing) {
    try {
      patch(mutant, this.#copy);
    } catch (error) {
      return { why: error.message };
    }
    try {
      if (mutant.lua) await this.#generate();
      const tests = await this.#jest([mutant]);
      const ran = tests.filter(({ status }) => status === 'passed' || status === 'failed');
      const sound = ran.filter(({ title }) => passing.has(title));
      const failed = sound.filter(({ status }) => status === 'failed');
      if (ran.length === 0) return { why: `no test is called ${mutant.pattern}` };
      if (sound.length === 0) return { why: `fails on the unbroken code too: ${ran[0].title}` };
      if (failed.length === 0) return { why: `${sound.length} tests passed` };
      const [first] = failed;
      const others = failed.length === 1 ? '' : ` (and ${failed.length - 1} more)`;
      return { caughtBy: `${first.title}${others}`, told: first.told };
    } catch (error) {
      return { why: error.message };
    } finally {
      patch(mutant, this.#copy, ['--reverse']);
      if (mutant.lua) await this.#generate();
    }
  }

  #generate() {
    return this.#node([join(this.#copy, 'scripts/gen-lua.mjs')]);
  }

  /** Runs the tests that the mutants name, and no others. */
  async #jest(mutants) {
    rmSync(this.#report, { force: true });
    const args = [
      '--expose-gc',
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      // A test that fails in the middle leaves calls behind whose failure it would have seen: they must not end Jest before it has written its report.
      '--unhandled-rejections=warn',
      join(this.#copy, 'node_modules/jest/bin/jest.js'),
      '--selectProjects',
      ...new Set(mutants.map(({ project }) => project)),
      '--runInBand',
      '--forceExit',
      '--testTimeout=20000',
      '--silent',
      '--json',
      `--outputFile=${this.#report}`,
      `--cacheDirectory=${join(this.#folder, 'cache')}`,
      '--testNamePattern',
      mutants.map(({ pattern }) => `(${pattern})`).join('|'),
      '--runTestsByPath',
      ...new Set(mutants.map(({ test }) => test)),
    ];
    const exit = await this.#node(args, limitMs * mutants.length);
    let report;
    try {
      report = JSON.parse(readFileSync(this.#report, 'utf8'));
    } catch {
      throw new Error(`jest wrote no report: ${exit}`);
    }
    const broken = report.testResults.find(({ assertionResults }) => assertionResults.length === 0);
    if (broken !== undefined) throw new Error(`${basename(broken.name)} cannot be loaded`);
    return report.testResults.flatMap(({ assertionResults }) =>
      assertionResults.map(({ fullName, status, failureMessages }) => ({
        title: fullName,
        status,
        told: essence(failureMessages[0] ?? ''),
      })),
    );
  }

  /** Says how it ended. */
  #node(args, withinMs = limitMs) {
    const child = spawn(process.execPath, args, {
      cwd: this.#copy,
      stdio: 'ignore',
      env: { ...process.env, HOLDFAST_LONG: '1' },
    });
    const limit = setTimeout(() => child.kill('SIGKILL'), withinMs);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `ended by ${signal}`));
    }).finally(() => clearTimeout(limit));
  }
}
