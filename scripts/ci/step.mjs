// Commands with a time limit, and the tally of what passed.
import { AsyncLocalStorage } from 'node:async_hooks';
import { spawn } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { needsShell, root } from '../run.mjs';

const running = new Set();
/** What a check says while others run beside it: shown in one piece when it is done. */
const aside = new AsyncLocalStorage();

function say(text) {
  const pieces = aside.getStore();
  if (pieces === undefined) process.stdout.write(text);
  else pieces.push(text);
}

/** For a command that hangs, not for a machine that is slow. */
const hangLimitMs = 6 * 60_000;
/** However many commands hang: all of it ends within this time. */
const totalLimitMs = 25 * 60_000;

function end(child, signal) {
  try {
    // Its own process group: what the command started ends with it.
    process.kill(-child.pid, signal);
  } catch {
    child.kill(signal);
  }
}

for (const [signal, code] of [
  ['SIGINT', 130],
  ['SIGTERM', 143],
]) {
  process.once(signal, () => {
    for (const child of running) end(child, 'SIGTERM');
    process.exit(code);
  });
}

/**
 * Runs a command; its output goes where ours goes, when the check is done if others run beside it.
 *
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv, limitMs?: number, capture?: 'stdout' }} [options]
 * @returns {Promise<string>} stdout when captured, else ''
 * @throws Error when it fails or takes too long
 */
export function command(program, args, { cwd = root, env = process.env, limitMs = hangLimitMs, capture } = {}) {
  const leftMs = Math.max(0, Math.min(limitMs, totalLimitMs - performance.now()));
  const rest = aside.getStore() === undefined ? 'inherit' : 'pipe';
  const child = spawn(program, args, {
    cwd,
    env,
    stdio: ['ignore', capture === undefined ? rest : 'pipe', rest],
    shell: needsShell,
    detached: !needsShell,
  });
  running.add(child);
  let said = '';
  let shown = '';
  const show = (text) => {
    say(text);
    shown += text;
  };
  child.stdout?.setEncoding('utf8').on('data', (text) => {
    if (capture === undefined) show(text);
    else said += text;
  });
  child.stderr?.setEncoding('utf8').on('data', show);
  let late = false;
  const limit = setTimeout(() => {
    late = true;
    end(child, 'SIGKILL');
  }, leftMs);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => {
      if (code === 0) resolve(said);
      else
        reject(
          new Error(
            late ? `took longer than ${Math.round(leftMs / 1_000)} s` : `ended with ${signal ?? `exit code ${code}`}`,
            { cause: reasonIn(shown) },
          ),
        );
    });
  }).finally(() => {
    clearTimeout(limit);
    running.delete(child);
  });
}

/** Of what a command has shown: the failures that Jest names, else its last lines. */
function reasonIn(shown) {
  const lines = stripVTControlCharacters(shown).split('\n');
  const titles = new Set(lines.filter((line) => line.startsWith('  ● ')));
  const failures = [...titles].map((title) => lines.slice(lines.indexOf(title), lines.indexOf(title) + 4));
  return [...(failures.length > 0 ? failures.flat() : lines.slice(-15))]
    .filter((line) => line.trim() !== '')
    .join('\n');
}

/** Runs a program of the workspace's node_modules. */
export const tool = (name, args, options) => command(`${root}/node_modules/.bin/${name}`, args, options);

/** Counts what passed and failed, and says it as it happens. */
export class Tally {
  passed = 0;
  failed = 0;
  #failures = [];

  /** Runs one check. A failure is counted, the next check runs all the same. Answers whether it passed. */
  async check(name, body) {
    say(`\n== ${name}\n`);
    const startedAt = performance.now();
    const took = () => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
    try {
      await body();
    } catch (error) {
      this.fail(`${name}: ${error.message}`, { why: error.cause });
      return false;
    }
    this.passed += 1;
    say(`ok: ${name} (${took()})\n`);
    return true;
  }

  /** `why` is said again at the end, where who reads only that finds it. */
  fail(message, { count = 1, why } = {}) {
    this.failed += count;
    this.#failures.push(typeof why === 'string' ? `${message}\n${why}` : message);
    say(`FAILED: ${message}\n`);
  }

  skip(name, reason) {
    say(`\n-- not run: ${name}: ${reason}\n`);
  }

  report() {
    process.stdout.write('\n');
    for (const failure of this.#failures) process.stdout.write(`FAILED: ${failure}\n`);
    process.stdout.write(`${this.passed} passed, ${this.failed} failed\n`);
  }
}

/** Shows what a job says when it is done: others say something meanwhile. */
export async function inOnePiece(job) {
  const pieces = [];
  try {
    return await aside.run(pieces, job);
  } finally {
    process.stdout.write(pieces.join(''));
  }
}
