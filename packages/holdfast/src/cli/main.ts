#!/usr/bin/env node
/** The command `holdfast`: see `docs/cli.md`. */

import { createInterface } from 'node:readline/promises';
import type { Io } from './io.js';
import { runCommandLine } from './program.js';

const { env, stdin, stdout, stderr } = process;

// Whoever reads may stop before the end, as `head` does.
stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

const io: Io = {
  env,
  isTerminal: stdin.isTTY && stdout.isTTY,
  isColored: stdout.isTTY && !env['NO_COLOR'],
  write: (text) => void stdout.write(text),
  warn: (line) => void stderr.write(`${line}\n`),
  // A terminal that does not say how large it is says 0.
  size: () => ({ rows: stdout.rows || 24 }),
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
};

void runCommandLine(process.argv.slice(2), io).then((code) => {
  process.exitCode = code;
});
