/**
 * Keeps the event loop turning while a lock passes from task to task in memory.
 *
 * A handoff costs a microtask, and microtasks run before any timer or socket: hundreds of thousands in a row would stop renewals, messages
 * and timeouts. So a handoff goes through `setImmediate` once the present run has lasted a millisecond.
 */

import type { Clock } from '@holdfast/watchdog';

/** The real one: fake timers that a test installs later would keep the lock from passing on. */
const { setImmediate } = globalThis;

const LONGEST_RUN_MS = 1;

/** See the module comment. */
export class Turns {
  readonly #clock: Clock;
  #runStarted = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Calls `next` at once, or in the next turn of the event loop when this one has gone on for too long. */
  take(next: () => void): void {
    if (this.#clock.now() - this.#runStarted < LONGEST_RUN_MS) {
      next();
      return;
    }
    setImmediate(() => {
      this.#runStarted = this.#clock.now();
      next();
    });
  }
}
