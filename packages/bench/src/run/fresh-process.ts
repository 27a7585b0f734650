import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { StalledError } from './stalled-error.js';

/** Where `scripts/bench.mjs` has put a program, in a project that has `holdfast` as users install it. */
export const programFile = (name: string): string =>
  fileURLToPath(new URL(`../../node_modules/.cache/project/${name}`, import.meta.url));

const execute = promisify(execFile);

/**
 * What a process answers that is started for this alone.
 *
 * @throws StalledError
 */
export async function freshProcess(program: string, order: unknown, limitMs: number): Promise<unknown> {
  try {
    const { stdout } = await execute(process.execPath, [program, JSON.stringify(order)], {
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
    return JSON.parse(stdout);
  } catch (error) {
    const { killed, stderr } = error as { killed?: boolean; stderr?: string };
    if (killed === true) throw new StalledError(limitMs);
    throw stderr === undefined || stderr === '' ? error : new Error(messageIn(stderr));
  }
}

/** A process that throws prints where, then what. */
const messageIn = (stderr: string): string => /^\S*Error\b.*$/m.exec(stderr)?.[0] ?? stderr;
