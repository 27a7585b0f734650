/** What becomes of the calls for a lock whose time is over, or that have had their attempts. */

import { whenRead } from '../connection/reading.js';
import { type AwaitedThing, decisionOn, judgeOverdue } from '../waiting/time-over.js';
import type { QueuedCalls } from '../waiting/wait-queue.js';
import type { Waiter } from '../waiting/waiter.js';
import type { ExclusiveLock } from './lock.js';

/** Answers the call, or lets it wait on. */
export function expire(lock: ExclusiveLock, waiter: Waiter): void {
  const { parts } = lock;
  if (waiter.delivering) return;
  // What is known in memory needs no reading.
  if (decisionOn(waiter, awaited(lock), parts).kind === 'busy') waiter.turnAway('busy');
  else
    whenRead(parts.nextTurn, () => {
      if (!waiter.delivering && !waiter.settled) judgeOverdue(waiter, awaited(lock), parts);
    });
}

function awaited({ operations, tenure, holds, busyAt }: ExclusiveLock): AwaitedThing {
  return { about: operations, asking: tenure, heldHere: !holds.isEmpty, busyAt };
}

/** The lock has gone to another call: those for one attempt have their answer. */
export function endSingleAttempts(queue: QueuedCalls): void {
  if (!queue.hasSingleAttempts) return;
  for (const waiter of queue) if (waiter.singleAttempt) waiter.turnAway('busy');
}

/** Calls made before `askedAt` have the answer to an attempt: the lock is busy. */
export function endAttempts(queue: QueuedCalls, askedAt: number): void {
  if (!queue.hasLimitedAttempts) return;
  for (const waiter of queue) if (waiter.joinedAt <= askedAt && waiter.attemptFailed()) waiter.turnAway('busy');
}
