/**
 * How long one process may keep passing a lock among its own tasks.
 *
 * As long as it likes while nobody else waits. When another process waits, for at most a small tenure: nine round trips, at which the lock
 * is in use for 90 % of the time however short the critical sections are (the tenth is the handoff to the other process), and at most a
 * number of handoffs, should the clock and the tasks be very fast.
 */

import type { Parts } from './parts.js';
import type { Tenure } from './tenure.js';

const TENURE_ROUND_TRIPS = 9;
const TENURE_HANDOFFS = 512;

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
    return this.#handoffs < TENURE_HANDOFFS && clock.now() - tenure.heldSince < TENURE_ROUND_TRIPS * wire.roundTripMs;
  }
}
