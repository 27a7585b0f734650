// Child processes for the scripts beside this file.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { fileURLToPath } from 'node:url';

/** Top folder of the workspace. */
export const root = fileURLToPath(new URL('..', import.meta.url));

/** npm and npx are batch files on Windows, which only a shell can start. */
export const needsShell = process.platform === 'win32';

/** What Node is to be told to run a program of the workspace as it stands in the sources. */
export const ofSource = (program) => ['--conditions=@holdfast/source', '--import', 'tsx', program];

/** Runs such a program, as {@link run} does. */
export const runSource = (program, args) => run(process.execPath, [...ofSource(program), ...args]);

/** Starts a command that shares our terminal and resolves with its exit code; 128 + n when signal n ended it. */
export function run(program, args, options = {}) {
  const child = spawn(program, args, { cwd: root, stdio: 'inherit', ...options });
  const forward = (signal) => child.kill(signal);
  // Ctrl-C reaches a child in a terminal by itself; we only outlive it, to end with its exit code.
  const ignore = () => undefined;
  process.on('SIGTERM', forward);
  process.on('SIGHUP', forward);
  process.on('SIGINT', process.stdin.isTTY ? ignore : forward);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code, signal) => resolve(code ?? 128 + constants.signals[signal]));
  }).finally(() => {
    process.off('SIGTERM', forward);
    process.off('SIGHUP', forward);
    process.off('SIGINT', ignore);
    process.off('SIGINT', forward);
  });
}
