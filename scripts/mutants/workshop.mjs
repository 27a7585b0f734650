// A copy of the repository in which one mutant at a time is tried. The work tree is never touched.
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { root } from '../run.mjs';
import { patch } from './mutant.mjs';

/** One mutant with all the tests it names. Reaching it is no verdict. */
const limitMs = 180_000;

/** Not copied: history, what is built, and the installed packages of the workspace, which are linked. */
const left = new Set(['.git', 'dist', 'mutants', 'coverage']);
const installed = join(root, 'node_modules');
const copied = (path) => path !== installed && !left.has(basename(path)) && !path.endsWith('.tsbuildinfo');

export class Workshop {
  #folder = mkdtempSync(join(tmpdir(), 'holdfast-mutants-'));
  #copy = join(this.#folder, 'holdfast');
  #report = join(this.#folder, 'jest.json');

  constructor() {
    cpSync(root, this.#copy, { recursive: true, verbatimSymlinks: true, filter: copied });
    symlinkSync(installed, join(this.#copy, 'node_modules'), 'junction');
  }

  remove() {
    rmSync(this.#folder, { recursive: true, force: true });
  }

  /**
   * Titles of the named tests that pass on the unbroken code, in one of two tries: some measure time, and the machine may be
   * busy with something else.
   *
   * @throws Error when one fails in both.
   */
  async passing(mutants) {
    const passed = new Set();
    let failed = await this.#try(mutants, passed);
    if (failed.length > 0) failed = (await this.#try(mutants, passed)).filter((title) => !passed.has(title));
    if (failed.length > 0) throw new Error(`fails on the unbroken code: ${failed.join('; ')}`);
    return passed;
  }

  async #try(mutants, passed) {
    const tests = await this.#jest(mutants);
    for (const { title, status } of tests) if (status === 'passed') passed.add(title);
    return tests.filter(({ status }) => status === 'failed').map(({ title }) => title);
  }

  /** Which tests failed, or why that cannot be said. `passing`: the titles that pass without it. */
  async verdictOn(mutant, passing) {
    try {
      patch(mutant, this.#copy);
    } catch (error) {
      return { why: error.message };
    }
    try {
      if (mutant.lua) await this.#generate();
      const tests = await this.#jest([mutant]);
      const ran = tests.filter(({ status }) => status === 'passed' || status === 'failed');
      const failed = ran.filter(({ title, status }) => status === 'failed' && passing.has(title));
      if (ran.length === 0) return { why: `no test is called ${mutant.pattern}` };
      if (failed.length === 0) return { why: `${ran.length} tests passed` };
      const [first] = failed;
      return { caughtBy: failed.length === 1 ? first.title : `${first.title} (and ${failed.length - 1} more)` };
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
    const exit = await this.#node([
      '--expose-gc',
      '--experimental-vm-modules',
      '--disable-warning=ExperimentalWarning',
      join(this.#copy, 'node_modules/jest/bin/jest.js'),
      '--selectProjects',
      ...new Set(mutants.map(({ project }) => project)),
      '--runInBand',
      '--forceExit',
      '--silent',
      '--json',
      `--outputFile=${this.#report}`,
      `--cacheDirectory=${join(this.#folder, 'cache')}`,
      '--testNamePattern',
      mutants.map(({ pattern }) => `(${pattern})`).join('|'),
      '--runTestsByPath',
      ...new Set(mutants.map(({ test }) => test)),
    ]);
    let report;
    try {
      report = JSON.parse(readFileSync(this.#report, 'utf8'));
    } catch {
      throw new Error(`jest wrote no report: ${exit}`);
    }
    const broken = report.testResults.find(({ assertionResults }) => assertionResults.length === 0);
    if (broken !== undefined) throw new Error(`${basename(broken.name)} cannot be loaded`);
    return report.testResults.flatMap(({ assertionResults }) =>
      assertionResults.map(({ fullName, status }) => ({ title: fullName, status })),
    );
  }

  /** Says how it ended. */
  #node(args) {
    const child = spawn(process.execPath, args, { cwd: this.#copy, stdio: 'ignore' });
    const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `ended by ${signal}`));
    }).finally(() => clearTimeout(limit));
  }
}
