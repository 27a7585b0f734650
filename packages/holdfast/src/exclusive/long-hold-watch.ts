/**
 * Reports what is held for long. Looks through what is held at times, and has nothing to do with a hold at any other: most end long before.
 */

import type { Appointment, Clock, Schedule } from '@holdfast/watchdog';
import type { Reporter } from '../reports/reporter.js';
import type { HeldHere } from './open-holds.js';

/** Shortest time between two looks, as a share of what is long: there may be many holds. */
const PAUSE = 1 / 8;

/** What it looks through. */
export interface Holders {
  readonly holds: HeldHere;
}

/** See the module comment. One for a client. */
export class LongHoldWatch {
  readonly #longMs: number;
  readonly #clock: Clock;
  readonly #schedule: Schedule;
  readonly #reporter: Reporter;
  readonly #locks: () => Iterable<Holders>;
  #next: Appointment | undefined;
  /** Clock time of the last look: what was held for long by then has been reported. */
  #lookedAt = -Infinity;

  constructor(
    longMs: number,
    { clock, schedule, reporter }: { clock: Clock; schedule: Schedule; reporter: Reporter },
    locks: () => Iterable<Holders>,
  ) {
    this.#longMs = longMs;
    this.#clock = clock;
    this.#schedule = schedule;
    this.#reporter = reporter;
    this.#locks = locks;
  }

  /** A hold has begun. */
  opened(now: number): void {
    if (this.#next === undefined) this.#lookAt(now + this.#longMs);
  }

  #lookAt(time: number): void {
    this.#next = this.#schedule.at(time, () => this.#look());
  }

  #look(): void {
    this.#next = undefined;
    const now = this.#clock.now();
    let next = Infinity;
    for (const { holds } of this.#locks()) {
      for (const record of holds.all) {
        const { since } = record;
        if (since === undefined || !record.renewable) continue;
        const longFrom = since + this.#longMs;
        if (longFrom > now) next = Math.min(next, longFrom);
        else if (longFrom > this.#lookedAt) this.#reporter.heldLong(record, Math.round(now - since));
      }
    }
    this.#lookedAt = now;
    if (next < Infinity) this.#lookAt(Math.max(next, now + this.#longMs * PAUSE));
  }
}
