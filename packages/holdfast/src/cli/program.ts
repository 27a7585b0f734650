import { createRequire } from 'node:module';
import { LockClientClosedError, LockError, LockRefusedError, LockUnavailableError } from 'holdfast';
import { Call, type CliCommand } from './command-line.js';
import { complain, type Form, wordsOf } from './complaint.js';
import { doctor } from './commands/doctor.js';
import { graph } from './commands/graph.js';
import { inspect } from './commands/inspect.js';
import { ls } from './commands/ls.js';
import { run } from './commands/run.js';
import { unlock } from './commands/unlock.js';
import { watch } from './commands/watch.js';
import { exitCodes, UsageError } from './exit-codes.js';
import type { Io } from './io.js';
import { withSilentServers } from './silent-servers.js';

/** By name, in the order of the help. */
export const commands: Readonly<Record<string, CliCommand>> = { ls, inspect, watch, graph, unlock, run, doctor };

const options = `
  --redis URL            where Redis is; default $REDIS_URL, else redis://localhost:6379
  --cluster              the URLs (several --redis) are nodes of a Cluster
  --sentinel HOST:PORT   a sentinel, once or more often; with --master NAME
  --cacert FILE          the authority that signed the server's certificate, with a rediss:// URL
  --cert FILE --key FILE the certificate that the server wants to see, and its key
  --prefix TEXT          the prefix of the lock client
  --key-prefix TEXT      the keyPrefix of ioredis
  --timeout TIME         how long an answer may take; default 5s
  --json                 for programs: one JSON value for each line
`;

function help(): string {
  const lines = Object.values(commands).map(({ usage, about }) => `  holdfast ${usage}\n      ${about}\n`);
  return `usage:\n${lines.join('')}\noptions of all commands:${options}\ntimes: 500ms, 30s, 5m, 1h. holdfast --version says which this is. The manual: docs/cli.md in the package.\n`;
}

function version(): string {
  return (createRequire(import.meta.url)('holdfast/package.json') as { version: string }).version;
}

/** Runs one command line. Answers with the code that the process is to end with; never rejects. */
export async function runCommandLine(args: readonly string[], io: Io): Promise<number> {
  const [name = '--help', ...rest] = args;
  const asked = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined);
  const form = asked.includes('--json') ? 'json' : 'words';
  try {
    if (name === '--help' || name === '-h' || name === 'help') {
      io.write(help());
      return args.length === 0 ? exitCodes.usage : exitCodes.done;
    }
    if (name === '--version') {
      io.write(`${version()}\n`);
      return exitCodes.done;
    }
    const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
    if (command === undefined) throw new UsageError(whyNoCommand(name));
    const call = new Call(io, command, rest);
    if (call.asksForHelp) {
      const own = command.details?.map((line) => `  ${line}\n`).join('');
      const details = own === undefined ? '' : `options:\n${own}\n`;
      io.write(`usage: holdfast ${command.usage}\n\n${command.about}\n\n${details}options of all commands:${options}`);
      return exitCodes.done;
    }
    try {
      return await command.run(call);
    } catch (error) {
      throw await withSilentServers(call, error);
    } finally {
      await call.close();
    }
  } catch (error) {
    return told(error, form, io);
  }
}

function whyNoCommand(name: string): string {
  if (name.startsWith('-')) return `the command comes first, and "${name}" behind it, as in holdfast ls --redis URL`;
  return `there is no command "${name}": holdfast --help names them`;
}

function told(error: unknown, form: Form, io: Io): number {
  const code = error instanceof LockError ? error.code : error instanceof UsageError ? 'USAGE' : 'ERROR';
  complain(io, form, code, isMistakeOfOurs(error) ? inOneLine(error) : wordsOf(error));
  if (error instanceof LockUnavailableError || error instanceof LockClientClosedError) return exitCodes.unavailable;
  if (error instanceof LockRefusedError) return exitCodes.refused;
  return error instanceof UsageError ? exitCodes.usage : exitCodes.internal;
}

/** What is wrong with the command line has been found by then. */
function isMistakeOfOurs(error: unknown): error is Error {
  return error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;
}

function inOneLine({ stack, message }: Error): string {
  return `a mistake of holdfast itself, please report it: ${(stack ?? message).replace(/\s*\n\s*/g, ' ')}`;
}
