/**
 * Judges that a lease which a call asks for is no longer than that, whatever is broken, as its holder sees it: it counts from before the call had the lock, and
 * nothing prolongs it.
 */

import { TIMER_GRACE_MS } from './belief.js';
import type { OpenHold } from './exclusion.js';
import type { Violation } from './violation.js';

/** See the module comment. */
export class FixedLeaseJudge {
  readonly #report: (violation: Violation) => void;

  constructor(report: (violation: Violation) => void) {
    this.#report = report;
  }

  /** A hold that is inside none, and has a lease of its own. */
  look({ process, hold, sinceLocal, lock }: OpenHold, leaseMs: number): void {
    const local = process.clock.now();
    const leftMs = process.seenAt(local, () => hold?.remainingMs() ?? 0);
    const overMs = local - sinceLocal + leftMs - leaseMs;
    if (leftMs <= 0 || overMs <= TIMER_GRACE_MS) return;
    const text = `${process.name} asked for ${leaseMs} ms, and believes to have it for ${overMs.toFixed(1)} ms more`;
    this.#report({ rule: 'lease', at: process.time, lock, text });
  }
}
