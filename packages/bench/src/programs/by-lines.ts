import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { createInterface } from 'node:readline';

/**
 * Gives a process of another language what a Node process has by its channel: messages, as lines of JSON through its standard streams. What it prints
 * to its standard error stays what it is.
 */
export function byLines(child: ChildProcessWithoutNullStreams): ChildProcessWithoutNullStreams {
  createInterface(child.stdout).on('line', (line) => {
    if (line.startsWith('{')) child.emit('message', JSON.parse(line)); // else a library has printed something
  });
  child.stdin.on('error', () => undefined); // it has ended, which its exit tells
  child.send = (message: unknown): boolean => child.stdin.write(`${JSON.stringify(message)}\n`);
  return child;
}
