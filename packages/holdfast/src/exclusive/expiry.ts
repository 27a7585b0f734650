/** What becomes of a call whose time is over: the facts about its lock for {@link decideAtTimeout}, and what is done with the decision. */

import { whenRead } from '../connection/reading.js';
import { unavailableError } from '../tenure/failures.js';
import { decideAtTimeout, type TimeoutDecision } from '../waiting/timeout-decision.js';
import type { QueuedCalls } from '../waiting/wait-queue.js';
import type { Waiter } from '../waiting/waiter.js';
import type { ExclusiveLock } from './lock.js';

/** Answers the call, or lets it wait on. */
export function expire(lock: ExclusiveLock, waiter: Waiter): void {
  if (waiter.delivering) return;
  // What is known in memory needs no reading.
  if (decisionOn(lock, waiter).kind === 'busy') waiter.turnAway('busy');
  else whenRead(lock.parts.nextTurn, () => judge(lock, waiter));
}

/** Its time is over, and all that has arrived has been read. */
function judge(lock: ExclusiveLock, waiter: Waiter): void {
  if (waiter.delivering || waiter.settled) return;
  const decision = decisionOn(lock, waiter);
  if (decision.kind === 'wait') waiter.expireAt(decision.until);
  else if (decision.kind === 'unavailable')
    waiter.refuse(unavailableError(lock, decision.silentMs, lock.tenure?.trouble));
  else waiter.turnAway(decision.kind);
}

function decisionOn(lock: ExclusiveLock, waiter: Waiter): TimeoutDecision {
  const { joinedAt, until, singleAttempt, confirmingSince } = waiter;
  const { clock, topology, settings } = lock.parts;
  const { tenure, holds, busyAt, operations } = lock;
  return decideAtTimeout(
    {
      now: clock.now(),
      joinedAt,
      until,
      singleAttempt,
      confirmingSince,
      heldHere: !holds.isEmpty,
      busyAt,
      unansweredSince: tenure?.unansweredSince,
      resentSince: tenure?.resentSince,
      setback: tenure?.setback === true,
      reach: topology.reachOf(operations.key),
    },
    settings,
  );
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
