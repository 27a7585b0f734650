/**
 * What one process does all the time: it holds its locks for a turn each, gives them back, and goes to the end of their lines. A lock that
 * nobody else wants is held until the end of the run.
 */

import type { LockClient } from 'holdfast';
import { sharersOf } from '../population.js';
import { lockName } from '../lock-names.js';
import { nowMicros } from '../../history/clock.js';
import { type Held, take } from './asking.js';
import { DueWheel } from './due-wheel.js';
import type { TurnRecords } from './messages.js';

/** So many calls at once while it sets up and while it ends. */
const AT_ONCE = 64;
const TICK_MS = 100;
const AFTER_FAILURE_MS = 1_000;

interface Turn {
  readonly lock: number;
  readonly askedAt: number;
  readonly heldAt: number;
  readonly hold: Held;
}

/** How a rotation goes. */
export interface Pace {
  readonly processes: number;
  readonly turnMs: number;
  /** Uniform in [0, 1). */
  readonly random: () => number;
}

/** See the module comment. */
export class Rotation {
  readonly #client: LockClient;
  readonly #pace: Pace;
  readonly #held = new Map<number, Turn>();
  /** Undefined until turns end. */
  #due: DueWheel<Turn> | undefined;
  readonly #giveUp = new AbortController();
  readonly #waits = new Set<Promise<void>>();
  #records: number[] = [];
  #failures: string[] = [];
  #waiting = 0;
  #leaving = 0;
  #ticking: NodeJS.Timeout | undefined;

  constructor(client: LockClient, pace: Pace) {
    this.#client = client;
    this.#pace = pace;
  }

  get held(): number {
    return this.#held.size;
  }

  get waiting(): number {
    return this.#waiting;
  }

  get leaving(): number {
    return this.#leaving;
  }

  /** Takes locks that nobody has. */
  async takeFirst(locks: readonly number[]): Promise<void> {
    await inBatches(locks, (lock) => this.#take(lock));
  }

  /** Stands in line for each of these. Resolves when the calls have been made, not when they have been served. */
  joinLines(locks: readonly number[]): void {
    for (const lock of locks) this.#join(lock);
  }

  /** From now on turns end: the present ones at different times within the first, so that later ones do too. */
  start(): void {
    this.#due = new DueWheel(performance.now());
    for (const turn of this.#held.values()) this.#endLater(turn, this.#pace.random() * this.#pace.turnMs);
    this.#ticking = setInterval(() => {
      for (const turn of this.#due?.take(performance.now()) ?? []) {
        // Else it was lost meanwhile.
        if (this.#held.get(turn.lock) === turn) this.#track(this.#leave(turn));
      }
    }, TICK_MS);
  }

  /** A hold of this lock has been lost: back to the end of the line. Says for how long it was held. */
  onLost(lock: number): number {
    const turn = this.#held.get(lock);
    if (turn?.hold.state !== 'lost') return 0;
    this.#track(this.#leave(turn));
    return (nowMicros() - turn.heldAt) / 1_000;
  }

  /** What has ended since the last call. */
  takeRecords(): TurnRecords {
    const records = this.#records;
    this.#records = [];
    return records;
  }

  takeFailures(): readonly string[] {
    const failures = this.#failures;
    this.#failures = [];
    return failures;
  }

  /** No turn ends any more: what is held stays held. */
  pause(): void {
    clearInterval(this.#ticking);
  }

  /** Nobody waits any more. */
  async giveUp(): Promise<void> {
    this.pause();
    this.#giveUp.abort();
    while (this.#waits.size > 0) await Promise.all(this.#waits);
  }

  /** Gives back what is held, after {@link giveUp}. */
  async end(): Promise<void> {
    await inBatches([...this.#held.values()], (turn) => this.#giveBack(turn));
  }

  #join(lock: number): void {
    this.#track(this.#take(lock));
  }

  async #take(lock: number): Promise<void> {
    const askedAt = nowMicros();
    this.#waiting++;
    let hold: Held;
    try {
      hold = await take(this.#client, lock, this.#giveUp.signal);
    } catch (error) {
      if (this.#giveUp.signal.aborted) return;
      this.#failures.push(`${lockName(lock)}: not acquired: ${String(error)}`);
      // It stands in line all the same, or the numbers would not stay the same. Not at once: a server that is overloaded needs air.
      setTimeout(() => {
        if (!this.#giveUp.signal.aborted) this.#join(lock);
      }, AFTER_FAILURE_MS);
      return;
    } finally {
      this.#waiting--;
    }
    const turn: Turn = { lock, askedAt, heldAt: nowMicros(), hold };
    this.#held.set(lock, turn);
    this.#endLater(turn, this.#pace.turnMs);
  }

  #endLater(turn: Turn, afterMs: number): void {
    if (sharersOf(turn.lock, this.#pace.processes).length > 1) this.#due?.add(turn, performance.now() + afterMs);
  }

  async #leave(turn: Turn): Promise<void> {
    await this.#giveBack(turn);
    if (!this.#giveUp.signal.aborted) this.#join(turn.lock);
  }

  async #giveBack({ lock, askedAt, heldAt, hold }: Turn): Promise<void> {
    this.#held.delete(lock);
    this.#leaving++;
    // A hold that was lost has ended at a time nobody here knows; it is reported on its own.
    this.#records.push(lock, askedAt, heldAt, hold.state === 'lost' ? heldAt : nowMicros(), hold.token ?? 0);
    try {
      await hold.release();
    } catch (error) {
      // A loss has been told already.
      if (hold.state !== 'lost') this.#failures.push(`${lockName(lock)}: not released: ${String(error)}`);
    } finally {
      this.#leaving--;
    }
  }

  #track(work: Promise<void>): void {
    this.#waits.add(work);
    void work.finally(() => this.#waits.delete(work));
  }
}

async function inBatches<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  for (let from = 0; from < items.length; from += AT_ONCE) {
    await Promise.all(items.slice(from, from + AT_ONCE).map(work));
  }
}
