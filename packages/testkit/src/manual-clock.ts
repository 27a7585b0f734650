import { setImmediate as nextTurn } from 'node:timers/promises';

/** Beyond this Node's own timers fire after 1 ms, and so do these. */
const longestTimerMs = 2 ** 31 - 1;

/** A timer of a {@link ManualClock}. `ref` and `unref` are recorded, nothing more. */
export class ManualTimer {
  /** Clock time at which it is due. */
  readonly dueAt: number;
  /** False after `unref()`: as a real timer it would not keep the process alive. */
  hasRef = true;
  readonly #run: () => void;

  /** Made by {@link ManualClock.setTimer}. */
  constructor(dueAt: number, run: () => void) {
    this.dueAt = dueAt;
    this.#run = run;
  }

  ref(): this {
    this.hasRef = true;
    return this;
  }

  unref(): this {
    this.hasRef = false;
    return this;
  }

  /** Calls the body, as the clock does when the timer is due. */
  fire(): void {
    this.#run();
  }
}

/**
 * A monotonic clock that stands still until the test moves it.
 *
 * Delays are read as Node reads them: under 1 ms, NaN, or above 2^31 - 1 ms means 1 ms.
 */
export class ManualClock {
  readonly #timers = new Set<ManualTimer>();
  #nowMs: number;
  readonly #settle: () => Promise<unknown>;
  #advancing = false;

  /** @param settle - what {@link advance} waits for before each timer: until what runs at this time has run. */
  constructor(startMs = 0, settle: () => Promise<unknown> = nextTurn) {
    this.#nowMs = startMs;
    this.#settle = settle;
  }

  /** Milliseconds. */
  now(): number {
    return this.#nowMs;
  }

  /** Runs `run` once, when the clock has advanced by `delayMs`. */
  setTimer(run: () => void, delayMs: number): ManualTimer {
    const readable = delayMs >= 1 && delayMs <= longestTimerMs;
    const timer = new ManualTimer(this.#nowMs + (readable ? delayMs : 1), run);
    this.#timers.add(timer);
    return timer;
  }

  /** The timer will not run. Nothing happens when it has run or was cleared before. */
  clearTimer(timer: ManualTimer): void {
    this.#timers.delete(timer);
  }

  /** How many timers are set and have not run. */
  get pendingTimers(): number {
    return this.#timers.size;
  }

  /** Clock time at which the earliest pending timer is due; undefined when there is none. */
  get nextTimerAt(): number | undefined {
    return this.#earliest()?.dueAt;
  }

  /**
   * Moves time on by `ms` and runs what becomes due, in order of due times (equal ones in the order they were set),
   * each at its own time. Promise reactions run before the first timer and after each one, so code that awaits between
   * its timers behaves as it would in real time. Timers set meanwhile run too when they fall due.
   *
   * Await it. Rejects with what a timer body throws; the clock then stands at that timer.
   */
  async advance(ms: number): Promise<void> {
    if (!(ms >= 0)) throw new RangeError(`a clock cannot advance by ${ms} ms`);
    if (this.#advancing) throw new Error('advance() is still running: await it before the next one');
    this.#advancing = true;
    try {
      const target = this.#nowMs + ms;
      await this.#settle();
      for (let timer = this.#earliest(); timer !== undefined && timer.dueAt <= target; timer = this.#earliest()) {
        this.#timers.delete(timer);
        this.#nowMs = Math.max(this.#nowMs, timer.dueAt);
        timer.fire();
        await this.#settle();
      }
      this.#nowMs = Math.max(this.#nowMs, target);
    } finally {
      this.#advancing = false;
    }
  }

  /**
   * Time passes and no timer runs: a stalled event loop, a stopped process, a suspended machine. What fell due runs,
   * late, at the next {@link advance} (`advance(0)` is enough).
   */
  jump(ms: number): void {
    if (!(ms >= 0)) throw new RangeError(`a clock cannot jump by ${ms} ms`);
    this.#nowMs += ms;
  }

  #earliest(): ManualTimer | undefined {
    let earliest: ManualTimer | undefined;
    for (const timer of this.#timers) {
      if (earliest === undefined || timer.dueAt < earliest.dueAt) earliest = timer;
    }
    return earliest;
  }
}
