/**
 * Takes and gives back locks, and writes down what happened: the one place where workloads and histories meet.
 *
 * Every time stamp is on the safe side: a hold counts from a moment at which it already said `held`, to a moment at which it still said so.
 */
import {
  type AcquireOptions,
  type FencedHold,
  type Hold,
  LockError,
  LockLostError,
  LockNotHeldError,
  LockTimeoutError,
  type MultiLock,
  type RLock,
  StaleTokenError,
} from 'holdfast';
import { nowMicros } from '../history/clock.js';
import type { LatchEnd, LatchInvoke, LevelName } from '../history/event.js';
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
  /** Locks of which it asks for the reading side only. */
  readonly reads?: ReadonlySet<string>;
  /** Of a semaphore: how many are wanted, and how many there are. */
  readonly permits?: { readonly wanted: number; readonly inAll: number };
  /** Microseconds: when the call began that came to ask for it; absent: now. What it has may have been taken away since then. */
  readonly since?: number;
}

/** A lock or a semaphore, as far as its history has to know it. */
type Wanted = Pick<RLock, 'name'> | Pick<MultiLock, 'names'>;

/** A hold, permits, or a leadership. */
export type Held = Pick<Hold, 'state' | 'signal' | 'remainingMs'> & { release(): Promise<void> };

/** What runs something while it is held, as `withLock` of a lock. */
type Section<H extends Held> = Pick<RLock, 'name'> & {
  withLock(options: AcquireOptions, section: (hold: H) => Promise<void>): Promise<void>;
};

/** A hold with its levels in the history: one, or one of each member of a multi-lock, which are had and lost together. */
export interface Open<H extends Held = Hold> {
  readonly hold: H;
  readonly levels: readonly LevelName[];
}

/** One level that is being asked for, or given back. */
interface Step {
  readonly name: LevelName;
  readonly op: number;
}

/** How long what a guard has written stays, in milliseconds. */
const guardedForMs = 60_000;

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

  /** Whether it says that a hold is lost, which faults may do to any. */
  isLoss(error: unknown): boolean {
    return error instanceof LockLostError;
  }

  /** What is wrong whatever the faults are. Only the first few are kept in words. */
  strange(what: string): void {
    if (this.tally.strange.length < 20) this.tally.strange.push(what);
  }

  /** An error of a call that is no acquisition and no release. */
  fails(what: string, error: unknown): void {
    if (!isExplained(error)) this.strange(`${what}: ${inWords(error)}`);
  }

  /** Asks for a lock with `ask` and answers undefined when it was not had, which is ordinary. */
  async acquire<H extends Held>(
    lock: Wanted,
    circumstances: Circumstances,
    ask: (options: AcquireOptions) => Promise<H | null>,
    options: AcquireOptions = {},
  ): Promise<Open<H> | undefined> {
    const steps = this.#invoke(lock, circumstances, options);
    try {
      const hold = await ask(options);
      if (hold !== null) return this.#had(hold, steps, circumstances.depth);
      for (const { name, op } of steps)
        this.#recorder.record({ type: 'fail', f: 'acquire', op, ...name, code: 'busy' });
    } catch (error) {
      this.#missed(error, steps);
    }
    this.tally.misses++;
    return undefined;
  }

  /** A `withLock`: `section` runs inside, and its end gives the lock back. */
  async section<H extends Held = Hold>(
    lock: Section<H>,
    circumstances: Circumstances,
    options: AcquireOptions,
    section: (open: Open<H>) => Promise<void>,
  ): Promise<void> {
    const steps = this.#invoke(lock, circumstances, options);
    let releases: readonly Step[] | undefined;
    try {
      await lock.withLock(options, async (hold) => {
        const open = this.#had(hold, steps, circumstances.depth);
        await section(open);
        releases = this.#releases(open);
      });
      if (releases !== undefined) this.#released(releases);
    } catch (error) {
      if (releases === undefined) {
        this.#missed(error, steps);
        this.tally.misses++;
      } else {
        this.#notReleased(error, releases);
      }
    }
  }

  /** Has the moment written down at which the holder is told of a loss by its signal. */
  listen({ hold, levels }: Open<Held>): void {
    hold.signal.addEventListener(
      'abort',
      () => {
        const { reason } = hold.signal;
        // A leader that resigns is told as well: that is no loss.
        if (reason instanceof LockNotHeldError) return;
        this.tally.losses++;
        const code = reason instanceof LockLostError ? reason.reason : String(reason);
        for (const name of levels) this.#recorder.record({ type: 'event', f: 'lost', ...name, code });
      },
      { once: true },
    );
  }

  /** A sample of what the hold says of itself. Answers whether it says that it is held. */
  work({ hold, levels }: Open<Held>): boolean {
    const truth = truthOf(hold);
    for (const name of levels) this.#recorder.record({ type: 'event', f: 'work', ...name, ...truth });
    return truth.state === 'held' || truth.state === 'suspect';
  }

  /** Raises the guarded numbers, and writes down what the hold says before and after that. */
  async store(open: Open): Promise<void> {
    if (!this.work(open)) return;
    for (const name of open.levels) {
      const who = `${this.#recorder.worker}/${name.hold}/${++this.#levels}`;
      const { after, value } = await this.#guard.step(name.lock, who);
      this.#recorder.record({ type: 'event', f: 'store', ...name, value, after });
    }
    this.work(open);
  }

  /** Writes through the guard of a fenced hold, and writes down under which token, unless nobody knows whether it was done. */
  async storeFenced({ hold, levels }: Open<FencedHold>): Promise<void> {
    const { token } = hold;
    for (const name of levels) {
      const from = nowMicros();
      try {
        await hold.guard.set(`guarded:${name.lock}`, token, { ttlMs: guardedForMs });
        this.#recorder.record({ type: 'event', f: 'guarded', ...name, token, from, outcome: 'written' });
      } catch (error) {
        if (error instanceof StaleTokenError)
          this.#recorder.record({ type: 'event', f: 'guarded', ...name, token, from, outcome: 'stale' });
        else this.fails('guard', error);
      }
    }
  }

  async release(open: Open<Held>): Promise<void> {
    const steps = this.#releases(open);
    try {
      await open.hold.release();
      this.#released(steps);
    } catch (error) {
      this.#notReleased(error, steps);
    }
  }

  /** A call on a latch. Answers undefined when nobody knows what it has done. */
  async latch<A extends Pick<LatchEnd, 'left' | 'done'>>(
    lock: string,
    call: Pick<LatchInvoke, 'call' | 'count' | 'by'>,
    ask: () => Promise<A>,
  ): Promise<A | undefined> {
    const op = this.#recorder.invoke({ type: 'invoke', f: 'latch', lock, ...call });
    // What a killed process had asked for may have counted, so it has to be known.
    this.#recorder.flush();
    try {
      const answer = await ask();
      this.#recorder.record({ type: 'ok', f: 'latch', op, lock, ...answer });
      return answer;
    } catch (error) {
      this.#recorder.record({ type: 'info', f: 'latch', op, lock, code: codeOf(error) });
      this.fails('latch', error);
      return undefined;
    }
  }

  /** A value has been computed: others may be given it from now on. Answers it. */
  computed(lock: string, value: string): string {
    const ours = `${this.#recorder.worker}/${value}`;
    this.#recorder.record({ type: 'event', f: 'value', lock, value: ours, how: 'computed' });
    // Others may be given it when this process has been killed, so it has to be known.
    this.#recorder.flush();
    return ours;
  }

  /** A call for a shared value. */
  async had(lock: string, ask: () => Promise<string>): Promise<void> {
    try {
      const value = await ask();
      this.#recorder.record({ type: 'event', f: 'value', lock, value, how: 'given' });
    } catch (error) {
      this.fails('share', error);
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
    lock: Wanted,
    { mode, scope, depth, inside, reads, permits, since: at = nowMicros() }: Circumstances,
    { leaseMs, waitMs, minHoldMs }: AcquireOptions,
  ): readonly Step[] {
    return lockNames(lock).map((of) => {
      const name = { lock: of, hold: ++this.#levels, scope };
      const op = this.#recorder.invoke({
        at,
        type: 'invoke',
        f: 'acquire',
        ...name,
        depth,
        mode,
        ...(inside === undefined ? {} : { inside }),
        ...(leaseMs === undefined ? {} : { leaseMs }),
        ...(waitMs === undefined ? {} : { waitMs }),
        ...(minHoldMs === undefined ? {} : { minHoldMs }),
        ...(reads?.has(of) === true ? { side: 'read' } : {}),
        ...(permits === undefined ? {} : { permits: permits.wanted, permitsInAll: permits.inAll }),
      });
      return { name, op };
    });
  }

  /** The caller has it. */
  #had<H extends Held>(hold: H, steps: readonly Step[], depth: number): Open<H> {
    if (depth === 1) this.tally.holds += steps.length;
    else this.tally.reentries += steps.length;
    const truth = truthOf(hold);
    const token = 'token' in hold && typeof hold.token === 'number' ? { token: hold.token } : {};
    const ids = 'ids' in hold ? { ids: hold.ids as readonly string[] } : {};
    for (const { name, op } of steps)
      this.#recorder.record({ type: 'ok', f: 'acquire', op, ...name, ...truth, ...token, ...ids });
    return { hold, levels: steps.map(({ name }) => name) };
  }

  /** A call that Redis did not answer may still have an effect there, until it is cancelled; all others have none. */
  #missed(error: unknown, steps: readonly Step[]): void {
    const type = codeOf(error) === 'LOCK_UNAVAILABLE' ? 'info' : 'fail';
    const cause = causeOf(error);
    const why = { code: codeOf(error), ...(cause === undefined ? {} : { cause }) };
    for (const { name, op } of steps) this.#recorder.record({ type, f: 'acquire', op, ...name, ...why });
    if (!isExplained(error)) this.strange(`acquire: ${inWords(error)}`);
  }

  #releases({ hold, levels }: Open<Held>): readonly Step[] {
    const truth = truthOf(hold);
    return levels.map((name) => ({
      name,
      op: this.#recorder.invoke({ type: 'invoke', f: 'release', ...name, ...truth }),
    }));
  }

  #released(steps: readonly Step[]): void {
    for (const { name, op } of steps) this.#recorder.record({ type: 'ok', f: 'release', op, ...name });
  }

  #notReleased(error: unknown, steps: readonly Step[]): void {
    const type = codeOf(error) === 'LOCK_LOST' ? 'fail' : 'info';
    for (const { name, op } of steps) this.#recorder.record({ type, f: 'release', op, ...name, code: codeOf(error) });
    if (!isExplained(error)) this.strange(`release: ${inWords(error)}`);
  }
}

const lockNames = (lock: Wanted): readonly string[] => ('names' in lock ? lock.names : [lock.name]);

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
