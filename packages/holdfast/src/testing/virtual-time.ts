/**
 * Time that stands still until a test moves it.
 *
 * What falls due runs in the order of its time, and after each piece the work that it set off is done before the next: promise jobs, and the turns of
 * the event loop that a client asked for. So the same test runs the same way each time, whatever the machine is doing, and a day passes in
 * milliseconds.
 */

import { type Clock, setImmediate, type Timer } from '@holdfast/watchdog';

/** Timers keep no process alive: only the test moves them. */
const detached: Timer = { ref: () => undefined, unref: () => undefined };

interface Due {
  readonly at: number;
  readonly run: () => void;
  readonly timer: Timer;
}

/** See the module comment. */
export class VirtualTime implements Clock {
  #now = 0;
  /** By time, equal times in the order in which they were set. */
  readonly #due: Due[] = [];
  #turns = 0;
  #moving = false;
  /** A piece of time that passes by itself. */
  #passing: Promise<void> | undefined;

  now(): number {
    return this.#now;
  }

  setTimer(run: () => void, delayMs: number): Timer {
    const due: Due = { at: this.#now + Math.max(1, delayMs), run, timer: { ...detached } };
    const after = this.#due.findIndex(({ at }) => at > due.at);
    this.#due.splice(after < 0 ? this.#due.length : after, 0, due);
    return due.timer;
  }

  clearTimer(timer: Timer): void {
    const at = this.#due.findIndex((due) => due.timer === timer);
    if (at >= 0) this.#due.splice(at, 1);
  }

  /** Runs `run` in the next turn of the event loop. {@link settle} waits for it. */
  nextTurn(run: () => void): void {
    this.#turns++;
    setImmediate(() => {
      this.#turns--;
      run();
    });
  }

  /** Resolves when all that is under way is done, as far as it needs no time. */
  async settle(): Promise<void> {
    do await turn();
    while (this.#turns > 0);
  }

  /** Moves on, from one piece of work to the next, until `work` is done. It leaves the way to a call of {@link advance}. */
  async passUntil(work: Promise<unknown>): Promise<void> {
    let done = false;
    const finished = () => {
      done = true;
    };
    work.then(finished, finished);
    await this.settle();
    while (!done) {
      const next = this.#due[0];
      if (!this.#moving && next !== undefined) {
        this.#passing = this.#move(Math.max(0, next.at - this.#now));
        await this.#passing;
        this.#passing = undefined;
      }
      await turn();
    }
  }

  /**
   * Moves on by `ms`.
   *
   * @throws RangeError for what is no time, Error when it is moving already.
   */
  async advance(ms: number): Promise<void> {
    if (typeof ms !== 'number') throw new TypeError(`advance: ms must be a number, not ${typeof ms}`);
    if (!(ms >= 0 && Number.isFinite(ms))) throw new RangeError(`advance: time cannot move on by ${ms} ms`);
    if (this.#passing !== undefined) await this.#passing;
    if (this.#moving) throw new Error('advance: time is moving already; await one call before the next');
    await this.#move(ms);
  }

  async #move(ms: number): Promise<void> {
    this.#moving = true;
    try {
      const target = this.#now + ms;
      await this.settle();
      for (let next = this.#due[0]; next !== undefined && next.at <= target; next = this.#due[0]) {
        this.#due.shift();
        this.#now = Math.max(this.#now, next.at);
        next.run();
        await this.settle();
      }
      this.#now = target;
    } finally {
      this.#moving = false;
    }
  }
}

/** The next turn of the real event loop: every promise job is done by then. */
export function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(() => resolve()));
}
