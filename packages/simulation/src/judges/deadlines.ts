/**
 * Judges that a call which may wait for so long is answered then, whatever is broken: with the lock, or without it.
 *
 * Its process has to be awake to say so, and may stand still between the call and the first look at its clock: the time counts from when it woke up last.
 * And a command that is on its way is waited for as long as an attempt may take.
 */

import type { WorldProcess } from '../world/process.js';
import type { Violation } from './violation.js';

/** Timers are late, and clocks slow by a hundredth. */
const CLOCKS = 1.02;
const ROOM_MS = 30;

/** See the module comment. */
export class DeadlineJudge {
  readonly #report: (violation: Violation) => void;

  constructor(report: (violation: Violation) => void) {
    this.#report = report;
  }

  /** A call is made. What is returned is to be called when it is answered, and may be called again. */
  calls(process: WorldProcess, lock: string, waitMs: number, attemptTimeoutMs: number): () => void {
    const since = process.time;
    const mostMs = CLOCKS * (waitMs + attemptTimeoutMs) + ROOM_MS;
    let isAnswered = false;
    return () => {
      if (isAnswered) return;
      isAnswered = true;
      const now = process.time;
      if (now <= Math.max(since, process.busyUntil) + mostMs) return;
      const text = `${process.name} is answered ${(now - since).toFixed(1)} ms after a call that may wait for ${waitMs} ms`;
      this.#report({ rule: 'late', at: now, lock, text });
    };
  }
}
