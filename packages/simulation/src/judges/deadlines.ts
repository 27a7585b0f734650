/**
 * Judges that a call which may wait for so long is answered then, whatever is broken: with the lock, or without it.
 *
 * Its process has to be awake to say so: only time counts in which it was. A command that is on its way is waited for as long as an attempt may take, and as
 * long again when the process has stood still meanwhile: then nobody knows yet whether the server is silent.
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

  /** A call has been made: its process may have stood still meanwhile. What is returned is to be called when it is answered, and may be called again. */
  calls(process: WorldProcess, lock: string, waitMs: number, attemptTimeoutMs: number): () => void {
    const since = process.time;
    const { stoodMs } = process;
    const mostMs = CLOCKS * (waitMs + 2 * attemptTimeoutMs) + ROOM_MS;
    let isAnswered = false;
    return () => {
      if (isAnswered) return;
      isAnswered = true;
      const now = process.time;
      const awakeMs = now - since - (process.stoodMs - stoodMs);
      if (awakeMs <= mostMs || now <= process.busyUntil + ROOM_MS) return;
      const text = `${process.name} is answered ${(now - since).toFixed(1)} ms after a call that may wait for ${waitMs} ms`;
      this.#report({ rule: 'late', at: now, lock, text });
    };
  }
}
