// Checks beside each other.
import { inOnePiece } from './step.mjs';

/** So many jobs at a time; the others wait for a free lane. What a job says is shown when it is done. */
export class Lanes {
  #free;
  #waiting = [];
  #urgent = [];

  constructor(count) {
    this.#free = count;
  }

  /** Runs a job after those that wait. */
  run(job) {
    return this.#run(job, this.#waiting);
  }

  /** Runs a job after those that were urgent before, and before all others. */
  runUrgent(job) {
    return this.#run(job, this.#urgent);
  }

  async #run(job, queue) {
    if (this.#free > 0) this.#free--;
    else await new Promise((isTurn) => queue.push(isTurn));
    try {
      return await inOnePiece(job);
    } finally {
      const next = this.#urgent.shift() ?? this.#waiting.shift();
      if (next === undefined) this.#free++;
      else next();
    }
  }
}
