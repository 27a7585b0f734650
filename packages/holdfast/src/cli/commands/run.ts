/**
 * Runs a command while a lock is held, as `flock` does for one machine.
 *
 *   waiting for the lock -> running -> given back
 *                             |
 *                 lost -> SIGTERM -> after --grace SIGKILL
 *
 * The lock is given back when the command has ended, whatever it ended with, and where that cannot be done it ends with its lease. A signal to this process while it waits ends the waiting; while the command
 * runs it is passed on to the command, which decides.
 */

import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';
import { basename } from 'node:path';
import { systemClock } from '@holdfast/watchdog';
import { type Hold, LockError, LockLostError, LockTimeoutError } from 'holdfast';
import type { Call, CliCommand } from '../command-line.js';
import { asSaidHere, wordsOf } from '../complaint.js';
import { exitCodes, UsageError } from '../exit-codes.js';
import { isInForeground } from '../foreground.js';
import type { EndSignal } from '../io.js';
import { printable } from '../table.js';

const GRACE_MS = 5_000;
/** As a lock has it. */
const SHORTEST_LEASE_MS = 100;
const signals: readonly EndSignal[] = ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP'];
/** As shells do: a command that cannot be found, and one that cannot be run. */
const NOT_FOUND = 127;
const NOT_RUNNABLE = 126;
/** As shells do, to which the number of the signal is added. */
const BY_SIGNAL = 128;

/** See the module comment. */
export const run: CliCommand = {
  usage: 'run NAME [--wait TIME] [--lease TIME] [--grace TIME] -- COMMAND [ARGUMENT…]',
  about: 'runs a command while the lock is held; ends as the command does, with 75 when the lock is busy',
  details: [
    '--wait TIME    how long to wait for the lock, 0 to try once; default: as long as Redis answers',
    '--lease TIME   a fixed lease, never renewed; default: 30s, renewed while the command runs',
    '--grace TIME   how long the command has from SIGTERM to SIGKILL when the lock is lost; default 5s',
  ],
  options: { wait: { type: 'string' }, lease: { type: 'string' }, grace: { type: 'string' } },
  takes: [1, 1],
  behindDashes: 'command',
  async run(call) {
    const [name = ''] = call.positionals;
    const [program, ...args] = call.rest ?? [];
    if (program === undefined) throw new UsageError('run needs a command behind --: holdfast run NAME -- COMMAND');
    const graceMs = call.duration('grace', 0) ?? GRACE_MS;
    const hold = await acquired(call, name, printable(basename(program)).slice(0, 200));
    if (typeof hold === 'number') return hold;
    const running = new Run(call, hold, graceMs);
    const code = await running.of(program, args);
    try {
      await hold.release();
      return code;
    } catch (error) {
      if (!(error instanceof LockError)) throw error;
      if (error instanceof LockLostError) {
        if (!running.saidLost) call.complain(error.code, wordsOf(error));
        return exitCodes.lost;
      }
      // The command had the lock until its end: how that was is what counts.
      const until = 'others get it when its lease is over';
      call.complain(error.code, `${name} could not be given back, ${until}: ${wordsOf(error)}`);
      return code;
    }
  },
};

/** The hold, or what to end with. */
async function acquired(call: Call, name: string, command: string): Promise<Hold | number> {
  const giveUp = new AbortController();
  const undo = signals.map((signal) => call.io.onSignal(signal, () => giveUp.abort(signal)));
  const [waitMs, leaseMs] = [call.duration('wait', 0), call.duration('lease', SHORTEST_LEASE_MS)];
  const times = { ...(waitMs === undefined ? {} : { waitMs }), ...(leaseMs === undefined ? {} : { leaseMs }) };
  try {
    const client = call.openClient({ meta: { command } });
    client.once('unsafe-setting', ({ setting, value, advice }) =>
      call.complain('UNSAFE_SETTING', `locks are not safe on a Redis with ${setting} ${value}: ${asSaidHere(advice)}`),
    );
    return await client.getLock(name).acquire({ ...times, signal: giveUp.signal });
  } catch (error) {
    if (giveUp.signal.aborted) return BY_SIGNAL + constants.signals[giveUp.signal.reason as EndSignal];
    if (!(error instanceof LockTimeoutError)) throw error;
    call.complain(error.code, `${name} is busy`);
    return exitCodes.busy;
  } finally {
    for (const end of undo) end();
  }
}

class Run {
  readonly #call: Call;
  readonly #hold: Hold;
  readonly #graceMs: number;
  readonly #clock = systemClock();
  /** The loss has been complained of. */
  saidLost = false;

  constructor(call: Call, hold: Hold, graceMs: number) {
    this.#call = call;
    this.#hold = hold;
    this.#graceMs = graceMs;
  }

  /** Answers what the command has ended with. */
  async of(program: string, args: readonly string[]): Promise<number> {
    const { io } = this.#call;
    const env = { ...io.env, HOLDFAST_LOCK_HELD: this.#hold.name };
    const child = spawn(program, args, { stdio: 'inherit', env });
    const undo = signals.map((signal) => io.onSignal(signal, () => passOn(signal, child)));
    const end = this.#endWhenLost(child);
    try {
      return await ended(child, (error) => this.#call.complain('ERROR', error.message));
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      this.#call.complain('ERROR', message);
      return code === 'ENOENT' ? NOT_FOUND : NOT_RUNNABLE;
    } finally {
      end();
      for (const each of undo) each();
    }
  }

  #endWhenLost(child: ChildProcess): () => void {
    const { signal } = this.#hold;
    let killing: NodeJS.Timeout | undefined;
    const lost = () => {
      const { code, message } = signal.reason as LockLostError;
      this.#call.complain(code, `${message}; ending the command`);
      this.saidLost = true;
      child.kill('SIGTERM');
      killing = this.#clock.setTimer(() => child.kill('SIGKILL'), this.#graceMs) as NodeJS.Timeout;
    };
    if (signal.aborted) lost();
    else signal.addEventListener('abort', lost, { once: true });
    return () => {
      signal.removeEventListener('abort', lost);
      if (killing !== undefined) this.#clock.clearTimer(killing);
    };
  }
}

/**
 * Once, also what the keys of a terminal send to the command as well: a second Ctrl+C means to many programs that they are to end at once, without tidying up.
 * What somebody else sends to this process there looks the same, and is lost.
 */
function passOn(signal: EndSignal, child: ChildProcess): void {
  const isOfKeys = signal === 'SIGINT' || signal === 'SIGQUIT';
  if (isOfKeys && child.pid !== undefined && isInForeground(child.pid)) return;
  child.kill(signal);
}

/** `warn`: it runs on, and something that was wanted of it did not work, such as a signal to a command of another user. */
function ended(child: ChildProcess, warn: (error: Error) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    child.on('error', (error) => (child.pid === undefined ? reject(error) : warn(error)));
    child.once('exit', (code, signal) => resolve(code ?? BY_SIGNAL + (signal ? constants.signals[signal] : 0)));
  });
}
