/**
 * How long one process may keep passing a lock among its own tasks, and how long they let others go first after that.
 *
 * As long as it likes while nobody else waits. When another process waits, for at most a small tenure: nine times what handing over takes, at
 * which the lock is in use for 90 % of the time however short the critical sections are, and at most a number of handoffs, should the
 * clock and the tasks be very fast.
 *
 * Handing over takes a round trip where a release names the next owner. In Redisson mode it names nobody: whoever hears of it has to ask,
 * and would find the lock taken each time if the next task of this process asked right behind the release. So that one pauses.
 */

import type { Parts } from './parts.js';
import type { Tenure } from './tenure.js';

const TENURE_HANDOVERS = 9;
const TENURE_HANDOFFS = 512;

/** From a message on the wire to the question that it causes, beside the round trip: a thread or an event loop has to wake. */
const WAKING_MS = 2;

/** See the module comment; one for each lock. */
export class HandoffRule {
  readonly #parts: Parts;
  #handoffs = 0;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** A tenure was held for the first time. */
  begin(): void {
    this.#handoffs = 0;
  }

  passed(): void {
    this.#handoffs++;
  }

  /** Whether the lock may be passed on to the next task of this process now. */
  allows(tenure: Tenure): boolean {
    if (!tenure.lease.check() || tenure.lease.state !== 'held' || !tenure.settled) return false;
    const { wakeup, clock, wire } = this.#parts;
    if (tenure.others === 0 && !wakeup.blind) return true;
    const handoverMs = wakeup.blind ? this.pauseMs : wire.roundTripMs;
    return this.#handoffs < TENURE_HANDOFFS && clock.now() - tenure.heldSince < TENURE_HANDOVERS * handoverMs;
  }

  /** How long the tasks of this process let others go first once it has given the lock back. */
  get pauseMs(): number {
    const { wakeup, wire } = this.#parts;
    return wakeup.blind ? WAKING_MS + 2 * wire.roundTripMs : 0;
  }
}
