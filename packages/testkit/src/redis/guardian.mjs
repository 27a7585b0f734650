// A server must not outlive the test that started it, however that test ends: SIGKILL runs no exit hook, and inside a
// test runner `process.on('exit')` may be a copy that never fires. So a shell waits beside each server on a pipe from
// this process. The pipe ends when this process does, and only then the shell runs its command.
import { spawn } from 'node:child_process';
import { Socket } from 'node:net';

/**
 * Runs `command` (a shell line, `"$1"`, `"$2"` … being `args`) when this process ends in any way.
 *
 * @param {string} command
 * @param {...string} args
 * @returns {() => void} ends the watch, without running the command
 */
export function whenThisProcessEnds(command, ...args) {
  const shell = spawn('/bin/sh', ['-c', `read -r _ || { ${command}; }`, 'guardian', ...args], {
    detached: true, // a signal to the whole process group must not take the guardian along
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  shell.on('error', () => undefined); // no shell here (Windows): nothing guards, and nothing else breaks
  shell.stdin.on('error', () => undefined);
  shell.unref();
  if (shell.stdin instanceof Socket) shell.stdin.unref();
  return () => {
    shell.stdin.end('done\n');
  };
}
