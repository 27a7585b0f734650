/**
 * Notices a connection that is open but answers nothing (a peer that vanished without a reset, a black hole) and has it replaced. The
 * commands in flight are then sent again on the new connection, where the scripts recognise what already ran.
 */

import type { Schedule } from '@holdfast/watchdog';
import type { Link } from './link.js';

/** How long a connection may owe every answer before it is taken for dead. */
export class SilenceGuard {
  readonly #link: Link;
  readonly #schedule: Schedule;
  readonly #limitMs: number;
  readonly #now: () => number;
  #owed = 0;
  #quietSince = 0;
  #armed = false;

  constructor(options: { link: Link; schedule: Schedule; limitMs: number; now: () => number }) {
    this.#link = options.link;
    this.#schedule = options.schedule;
    this.#limitMs = options.limitMs;
    this.#now = options.now;
  }

  sent(at: number): void {
    if (this.#owed++ === 0) this.#quietSince = at;
    if (this.#armed) return;
    this.#armed = true;
    this.#schedule.at(at + this.#limitMs, this.#look);
  }

  answered(at: number): void {
    this.#owed--;
    this.#quietSince = at;
  }

  readonly #look = (): void => {
    this.#armed = false;
    if (this.#owed === 0) return;
    const due = this.#quietSince + this.#limitMs;
    if (this.#now() >= due) {
      this.#quietSince = this.#now();
      this.#link.recycle();
    }
    this.#armed = true;
    this.#schedule.at(Math.max(due, this.#now() + this.#limitMs / 2), this.#look);
  };
}
