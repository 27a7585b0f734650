// One search: SPIN makes a verifier of a model, a C compiler builds it, and it visits every state.
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';
import { searchOf } from './verdict.mjs';

const limitMs = 10 * 60_000;
const memoryMb = 4_000;
const deepest = 400_000;

const running = new Set();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/**
 * @param {string} program
 * @param {string[]} args
 * @param {{ cwd: string }} options
 * @returns {Promise<{ code: number, said: string }>} `code`: not 0 when it was ended, too
 */
export function capture(program, args, { cwd }) {
  return new Promise((resolve, reject) => {
    const options = { cwd, timeout: limitMs, killSignal: 'SIGINT', maxBuffer: 64 << 20, encoding: 'latin1' };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      running.delete(child);
      // A word: it could not be started. A number, or nothing after a signal: it has run.
      const code = error === null ? 0 : (error.code ?? 1);
      if (typeof code === 'string') reject(new Error(`${program}: ${error.message}`));
      else resolve({ code, said: stdout + stderr });
    });
    running.add(child);
  });
}

/** Switches as arguments. @param {{ set: string }} variant */
export const switches = ({ set }) =>
  set
    .split(' ')
    .filter(Boolean)
    .map((word) => `-D${word}`);

async function made(what, program, args, cwd) {
  const { code, said } = await capture(program, args, { cwd });
  if (code !== 0) throw new Error(`${what}: ${program} failed:\n${said}`);
}

/**
 * @param {import('./verdict.mjs').Variant & { heavy?: boolean }} variant
 * @param {string} temporary a folder for what is made on the way
 */
export async function search(variant, temporary) {
  const cwd = join(temporary, variant.name);
  mkdirSync(cwd, { recursive: true });
  const model = join(root, 'spec', `${variant.model}.pml`);
  await made(variant.name, 'spin', [...switches(variant), '-a', model], cwd);
  // Partial-order reduction does not go with `timeout`; it is off.
  const build = [variant.heavy ? '-O1' : '-O0', '-w', '-DSAFETY', '-DCOLLAPSE', '-DNOREDUCE', `-DMEMLIM=${memoryMb}`];
  await made(variant.name, 'gcc', [...build, '-o', 'pan', 'pan.c'], cwd);
  const { said } = await capture(join(cwd, 'pan'), [`-m${deepest}`], { cwd });
  return searchOf(said);
}
