import { parseArgs } from 'node:util';

export const usage = `usage: npm run demo -- [options]

  --transfers N   apply only the first N transfers of the file
  --workers N     worker processes (default 4; at least 2, or 1 with --no-kill)
  --no-locks      run only without locks, to see what is lost
  --no-kill       let every worker live
`;

/** What the command line asks for. */
export interface Options {
  readonly transfers: number;
  readonly workers: number;
  readonly locks: boolean;
  readonly kill: boolean;
}

/** @throws Error that says what is wrong with the command line. */
export function parseOptions(args: string[], transfersInFile: number): Options {
  const { values } = parseArgs({
    args,
    allowNegative: true,
    options: {
      transfers: { type: 'string', default: String(transfersInFile) },
      workers: { type: 'string', default: '4' },
      locks: { type: 'boolean', default: true },
      kill: { type: 'boolean', default: true },
    },
  });
  return {
    transfers: wholeNumber('--transfers', values.transfers, 2, transfersInFile),
    // Somebody must be left to do the work of the dead.
    workers: wholeNumber('--workers', values.workers, values.kill ? 2 : 1, 64),
    locks: values.locks,
    kill: values.kill,
  };
}

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < min || value > max) {
    throw new RangeError(`${option} must be a whole number from ${min} to ${max}, got ${text}`);
  }
  return value;
}
