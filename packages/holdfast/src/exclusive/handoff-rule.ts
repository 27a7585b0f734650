/**
 * How long one process may keep passing a lock among its own tasks, and how long they let others go first after that.
 *
 * As long as it likes while no other process waits. When another process waits, for at most a small tenure: nine times what handing over takes, at
 * which the lock is in use for 90 % of the time however short the critical sections are, and at most a number of handoffs, should the
 * clock and the tasks be very fast.
 *
 * Handing over takes a round trip where a release names the next owner. In Redisson mode it names none: each client that hears of it has to ask,
 * and would find the lock taken each time if the next task of this process asked right behind the release. So that one pauses.
 */

import type { LockParts } from '../client-parts.js';
import type { Stake } from '../tenure/stake.js';

const TENURE_HANDOVERS = 9;
const TENURE_HANDOFFS = 512;

/** From a message on the wire to the question that it causes, beside the round trip: a thread or an event loop has to wake. */
const WAKING_MS = 2;

/** Whether a tenure may be passed on to the next task of this process now. */
export function mayPassOn(tenure: Stake, parts: LockParts): boolean {
  if (!tenure.lease.check() || tenure.lease.state !== 'held' || !tenure.steps.settled) return false;
  const { wakeup, clock, sender } = parts;
  if (tenure.otherWaiters.count === 0 && !wakeup.blind) return true;
  const handoverMs = wakeup.blind ? pauseMs(tenure.operations.key, parts) : sender.roundTripMs(tenure.operations.key);
  return tenure.handoffs < TENURE_HANDOFFS && clock.now() - tenure.heldSince < TENURE_HANDOVERS * handoverMs;
}

/** How long the tasks of this process let others go first once it has given a lock back. */
export function pauseMs(lockKey: string, { wakeup, sender }: LockParts): number {
  return wakeup.blind ? WAKING_MS + 2 * sender.roundTripMs(lockKey) : 0;
}
