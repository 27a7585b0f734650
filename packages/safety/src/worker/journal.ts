/**
 * Takes and gives back locks, and writes down what happened: the one place where workloads and histories meet.
 *
 * Every time stamp is on the safe side: a hold counts from a moment at which it already said `held`, to a moment at which it still said so.
 */
import { type AcquireOptions, type Hold, LockError, LockLostError, LockTimeoutError, type RLock } from 'holdfast';
import { nowMicros } from '../history/clock.js';
import type { LevelName } from '../history/event.js';
import type { Recorder } from '../history/recorder.js';
import { truthOf } from '../history/truth.js';
import type { Guard } from './guard.js';
import type { Tally } from './plan.js';

/** How a level came to be asked for. */
export interface Circumstances {
  readonly mode: string;
  readonly scope: number;
  readonly depth: number;
  /** The level around it, when it has a scope of its own below one that holds the lock. */
  readonly inside?: number;
}

/** An open level with its number in the history. */
export interface Open {
  readonly hold: Hold;
  readonly name: LevelName;
}

export class Journal {
  readonly tally: Tally = { holds: 0, local: 0, reentries: 0, misses: 0, losses: 0, strange: [] };
  readonly #recorder: Recorder;
  readonly #guard: Guard;
  #levels = 0;
  #scopes = 0;

  constructor(recorder: Recorder, guard: Guard) {
    this.#recorder = recorder;
    this.#guard = guard;
  }

  /** A new thread of work. */
  freshScope(): number {
    return ++this.#scopes;
  }

  /** What is wrong whatever the faults are. Only the first few are kept in words. */
  strange(what: string): void {
    if (this.tally.strange.length < 20) this.tally.strange.push(what);
  }

  /** Asks for a lock with `ask` and answers undefined when it was not had, which is ordinary. */
  async acquire(
    lock: RLock,
    circumstances: Circumstances,
    ask: (options: AcquireOptions) => Promise<Hold | null>,
    options: AcquireOptions = {},
  ): Promise<Open | undefined> {
    const { name, op } = this.#invoke(lock, circumstances, options);
    try {
      const hold = await ask(options);
      if (hold !== null) return this.had(hold, name, op, circumstances.depth);
      this.#recorder.record({ type: 'fail', f: 'acquire', op, ...name, code: 'busy' });
    } catch (error) {
      this.#missed(error, name, op);
    }
    this.tally.misses++;
    return undefined;
  }

  /** A `withLock`: `section` runs inside, and its end gives the lock back. */
  async section(
    lock: RLock,
    circumstances: Circumstances,
    options: AcquireOptions,
    section: (open: Open) => Promise<void>,
  ): Promise<void> {
    const { name, op } = this.#invoke(lock, circumstances, options);
    let release: number | undefined;
    try {
      await lock.withLock(options, async (hold) => {
        await section(this.had(hold, name, op, circumstances.depth));
        release = this.#recorder.invoke({ type: 'invoke', f: 'release', ...name, ...truthOf(hold) });
      });
      if (release !== undefined) this.#recorder.record({ type: 'ok', f: 'release', op: release, ...name });
    } catch (error) {
      if (release === undefined) {
        this.#missed(error, name, op);
        this.tally.misses++;
      } else {
        this.#notReleased(error, name, release);
      }
    }
  }

  /** The caller has it. */
  had(hold: Hold, name: LevelName, op: number, depth: number): Open {
    if (depth === 1) this.tally.holds++;
    else this.tally.reentries++;
    this.#recorder.record({ type: 'ok', f: 'acquire', op, ...name, ...truthOf(hold) });
    return { hold, name };
  }

  /** Has the moment written down at which the holder is told of a loss by its signal. */
  listen({ hold, name }: Open): void {
    hold.signal.addEventListener(
      'abort',
      () => {
        this.tally.losses++;
        const { reason } = hold.signal;
        const code = reason instanceof LockLostError ? reason.reason : String(reason);
        this.#recorder.record({ type: 'event', f: 'lost', ...name, code });
      },
      { once: true },
    );
  }

  /** A sample of what the hold says of itself. Answers whether it says that it is held. */
  work({ hold, name }: Open): boolean {
    const truth = truthOf(hold);
    this.#recorder.record({ type: 'event', f: 'work', ...name, ...truth });
    return truth.state === 'held' || truth.state === 'suspect';
  }

  /** Raises the guarded number, and writes down what the hold says before and after that. */
  async store(open: Open): Promise<void> {
    if (!this.work(open)) return;
    const { name } = open;
    const { after, value } = await this.#guard.step(
      name.lock,
      `${this.#recorder.worker}/${name.hold}/${++this.#levels}`,
    );
    this.#recorder.record({ type: 'event', f: 'store', ...name, value, after });
    this.work(open);
  }

  async release({ hold, name }: Open): Promise<void> {
    const op = this.#recorder.invoke({ type: 'invoke', f: 'release', ...name, ...truthOf(hold) });
    try {
      await hold.release();
      this.#recorder.record({ type: 'ok', f: 'release', op, ...name });
    } catch (error) {
      this.#notReleased(error, name, op);
    }
  }

  async force(lock: RLock): Promise<void> {
    const op = this.#recorder.invoke({ type: 'invoke', f: 'force', lock: lock.name });
    try {
      const forced = await lock.forceUnlock();
      this.#recorder.record({ type: 'ok', f: 'force', op, lock: lock.name, ...(forced ? {} : { code: 'free' }) });
    } catch (error) {
      this.#recorder.record({ type: 'info', f: 'force', op, lock: lock.name, code: codeOf(error) });
    }
  }

  #invoke(
    lock: RLock,
    { mode, scope, depth, inside }: Circumstances,
    { leaseMs, waitMs }: AcquireOptions,
  ): { name: LevelName; op: number } {
    const name = { lock: lock.name, hold: ++this.#levels, scope };
    const op = this.#recorder.invoke({
      at: nowMicros(),
      type: 'invoke',
      f: 'acquire',
      ...name,
      depth,
      mode,
      ...(inside === undefined ? {} : { inside }),
      ...(leaseMs === undefined ? {} : { leaseMs }),
      ...(waitMs === undefined ? {} : { waitMs }),
    });
    return { name, op };
  }

  /** A call that Redis did not answer may still have an effect there, until it is cancelled; all others have none. */
  #missed(error: unknown, name: LevelName, op: number): void {
    const type = codeOf(error) === 'LOCK_UNAVAILABLE' ? 'info' : 'fail';
    const cause = causeOf(error);
    const why = { code: codeOf(error), ...(cause === undefined ? {} : { cause }) };
    this.#recorder.record({ type, f: 'acquire', op, ...name, ...why });
    if (!isExplained(error)) this.strange(`acquire: ${inWords(error)}`);
  }

  #notReleased(error: unknown, name: LevelName, op: number): void {
    const type = codeOf(error) === 'LOCK_LOST' ? 'fail' : 'info';
    this.#recorder.record({ type, f: 'release', op, ...name, code: codeOf(error) });
    if (!isExplained(error)) this.strange(`release: ${inWords(error)}`);
  }
}

/** The reason of an abort of our own. */
export const GIVEN_UP = 'given up by the workload';

function codeOf(error: unknown): string {
  if (error === GIVEN_UP) return 'aborted';
  if (error instanceof LockTimeoutError) return 'timeout';
  return error instanceof LockError ? error.code : error instanceof Error ? error.name : String(error);
}

const explained = new Set(['LOCK_TIMEOUT', 'LOCK_LOST', 'LOCK_UNAVAILABLE', 'LOCK_REFUSED']);

/** Whether a fault can be the cause. A refused scope, a closed client, a TypeError never are. */
function isExplained(error: unknown): boolean {
  return error === GIVEN_UP || (error instanceof LockError && explained.has(error.code));
}

function causeOf(error: unknown): string | undefined {
  return error instanceof LockError && error.cause instanceof Error ? error.cause.message : undefined;
}

function inWords(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : String(error);
}
