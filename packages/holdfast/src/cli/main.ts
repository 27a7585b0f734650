#!/usr/bin/env node
/** The command `holdfast`: see `docs/cli.md`. */

import { createInterface } from 'node:readline/promises';
import { exitCodes } from './exit-codes.js';
import type { Io } from './io.js';
import { inColor, plain } from './paint.js';
import { runCommandLine } from './program.js';

const { env, stdin, stdout, stderr } = process;

// Nothing more can be said, and what is under way goes on: a command whose lock is lost must still be ended.
stderr.on('error', () => undefined);
stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  // Whoever reads may stop before the end, as `head` does. What ends by itself goes on to its end, whose code somebody may want.
  if (code === 'EPIPE') return;
  stderr.write(`holdfast: what there is to say cannot be written: ${message}\n`);
  process.exit(exitCodes.internal);
});

// Node writes them as of code, and in lines that are no JSON. What is wrong with a server `doctor` tells, and `run` where a lock depends on it.
const printers = process.listeners('warning');
process.removeAllListeners('warning');
// And ioredis, of what calls are told.
console.warn = () => undefined;
process.on('warning', (warning) => {
  if (warning.name !== 'HoldfastWarning') for (const print of printers) print(warning);
});

const io: Io = {
  env,
  isTerminal: stdin.isTTY && stdout.isTTY,
  paint: stdout.isTTY && !env['NO_COLOR'] ? inColor : plain,
  write: (text) => void stdout.write(text),
  warn: (line) => void stderr.write(`${line}\n`),
  // A terminal that does not say how large it is says 0.
  size: () => ({ rows: stdout.rows || 24, columns: stdout.columns || 80 }),
  now: () => new Date().toISOString(),
  ask: async (question) => {
    const lines = createInterface({ input: stdin, output: stdout });
    try {
      return await lines.question(question);
    } catch {
      // Ctrl+C, or the end of what is typed: no answer.
      return '';
    } finally {
      lines.close();
    }
  },
  onSignal: (signal, run) => {
    process.on(signal, run);
    return () => process.off(signal, run);
  },
  onUnread: (run) => {
    const hear = ({ code }: NodeJS.ErrnoException) => code === 'EPIPE' && run();
    stdout.on('error', hear);
    return () => stdout.off('error', hear);
  },
};

// Until it has ended: with nothing left to wait for, Node would end as if all were well.
process.exitCode = exitCodes.internal;
process.once('beforeExit', unfinished);
void runCommandLine(process.argv.slice(2), io).then((code) => {
  process.off('beforeExit', unfinished);
  process.exitCode = code;
});

function unfinished(): void {
  stderr.write('holdfast: the command has not come to its end: nothing is left that it could wait for\n');
}
