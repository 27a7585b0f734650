/**
 * Keeps the event loop turning while a lock passes from task to task in memory.
 *
 * A handoff costs a microtask, and microtasks run before any timer or socket: hundreds of thousands in a row would stop renewals, messages
 * and timeouts. So a handoff waits for the next turn of the loop once the present run has lasted a millisecond.
 */

import type { Clock } from '@holdfast/watchdog';
import type { NextTurn } from '../connection/reading.js';

const LONGEST_RUN_MS = 1;

/** See the module comment. */
export class EventLoopTurns {
  readonly #clock: Clock;
  readonly #nextTurn: NextTurn;
  #runStarted = -Infinity;

  constructor(clock: Clock, nextTurn: NextTurn) {
    this.#clock = clock;
    this.#nextTurn = nextTurn;
  }

  /** Calls `next` at once, or in the next turn of the event loop when this one has gone on for too long. */
  take(next: () => void): void {
    if (this.#clock.now() - this.#runStarted < LONGEST_RUN_MS) {
      next();
      return;
    }
    this.#nextTurn(() => {
      this.#runStarted = this.#clock.now();
      next();
    });
  }
}
