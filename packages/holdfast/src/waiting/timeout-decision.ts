/**
 * What to tell a call whose time is over.
 *
 * `waitMs` bounds a call: it has its answer by then. LockUnavailableError needs evidence that Redis cannot be reached; where there is none, the
 * call has not got the lock, and nothing more is said. So a longer wait is never less patient with a healthy server than a short one.
 *
 * | what is known, when the time of a call is over | with a limit (`waitMs`) | one attempt (`waitMs` 0) | without a limit |
 * |---|---|---|---|
 * | this client holds the lock for another call, or Redis has said lately that it is busy | busy | busy | waits |
 * | the connection is down: it broke, or the last attempt to make one failed | unavailable | unavailable | waits `responseTimeoutMs` |
 * | the last that Redis has answered is that it cannot serve now (loading, a replica) | unavailable | unavailable | waits `responseTimeoutMs` |
 * | the connection, an answer on it, or one that was asked for again on it has been owed for `attemptTimeoutMs` | unavailable | unavailable | waits `responseTimeoutMs` |
 * | the first connection is being made, or the answer is owed, for less than that | busy | waits for the rest | waits `responseTimeoutMs` |
 *
 * - One attempt has `attemptTimeoutMs`, and what a stalled event loop took of it besides: nobody else need have the lock then, and who is told
 *   `busy` goes without it, or says that somebody else does the work. For an answer it is given that once: others may come without end, and not this one.
 * - Time in which the event loop stood still is not held against Redis, and what has arrived meanwhile is read first.
 * - Without a limit a call waits only while Redis answers: its silence counts from the question that is unanswered, and never from before
 *   the call.
 */

import type { Reach } from '../connection/reach.js';
import type { Settings } from '../settings.js';

/** What is known about the lock and the call at that moment; all times are of the client's clock. A call that has the lock, and is to hear from Redis before it ends, leaves out what is about waiting. */
export interface TimeoutSituation {
  readonly now: number;
  readonly joinedAt: number;
  /** When the call's wait ends; infinite when it has no limit. */
  readonly until: number;
  /** It asked for one attempt. */
  readonly singleAttempt?: boolean | undefined;
  /** It has been given more time once. */
  readonly isLate?: boolean | undefined;
  /** Since when Redis is asked to confirm a hold on its way to the call, if it is. */
  readonly confirmingSince?: number | undefined;
  /** This process holds the lock for another call. */
  readonly heldHere?: boolean | undefined;
  /** The last proof that the lock was busy. */
  readonly busyAt?: number | undefined;
  /** Since when Redis owes an answer, if it does. */
  readonly unansweredSince?: number | undefined;
  /** The same, where the question went with a connection that has ended, and was asked again since. */
  readonly resentSince?: number | undefined;
  /** Redis has answered that it cannot do it now. */
  readonly setback?: boolean | undefined;
  readonly reach: Reach;
}

/** What to tell it, or until when to let it wait. */
export type TimeoutDecision =
  | { kind: 'busy' }
  | { kind: 'unanswered' }
  | { kind: 'unavailable'; silentMs: number }
  | { kind: 'wait'; until: number };

/** However often a client asks, an answer is believed for a round trip on a slow network. */
const SHORTEST_PROOF_MS = 200;
/** A call needs a moment until its question is out: so much of `attemptTimeoutMs` proves as much. */
const ENOUGH = 0.9;

/** How many milliseconds after a call has begun its patience is first to be looked at. */
export function firstLimitMs(waitMs: number | undefined, { attemptTimeoutMs, responseTimeoutMs }: Settings): number {
  return waitMs === undefined ? responseTimeoutMs : waitMs === 0 ? attemptTimeoutMs : waitMs;
}

export function decideAtTimeout(situation: TimeoutSituation, settings: Settings): TimeoutDecision {
  return situation.until === Infinity ? withoutLimit(situation, settings) : withLimit(situation, settings);
}

function withLimit(situation: TimeoutSituation, settings: Settings): TimeoutDecision {
  const {
    now,
    joinedAt,
    singleAttempt,
    isLate,
    confirmingSince,
    heldHere,
    busyAt,
    unansweredSince,
    resentSince,
    setback,
    reach,
  } = situation;
  const freshMs = Math.max(2 * settings.reaskMs, SHORTEST_PROOF_MS);
  const knownBusy = heldHere === true || (busyAt !== undefined && now - busyAt <= freshMs);
  if (confirmingSince === undefined && knownBusy) return { kind: 'busy' };
  const unheardMs = now - Math.max(joinedAt, busyAt ?? joinedAt);
  if (setback || reach.state === 'down') return { kind: 'unavailable', silentMs: unheardMs };
  const silentMs = Math.max(reach.silentMs, now - Math.max(joinedAt, resentSince ?? now));
  const missingMs = Math.min(settings.attemptTimeoutMs, settings.responseTimeoutMs) * ENOUGH - silentMs;
  if (missingMs <= 0) return { kind: 'unavailable', silentMs: Math.max(unheardMs, silentMs) };
  const isOwed = reach.state === 'connecting' || (!isLate && (confirmingSince ?? unansweredSince) !== undefined);
  return singleAttempt && isOwed ? { kind: 'wait', until: now + missingMs } : { kind: 'unanswered' };
}

function withoutLimit(situation: TimeoutSituation, settings: Settings): TimeoutDecision {
  const { now, joinedAt, confirmingSince, heldHere, unansweredSince } = situation;
  const held = heldHere && confirmingSince === undefined;
  const owedSince = held ? now : (confirmingSince ?? unansweredSince ?? now);
  const silentSince = Math.max(owedSince, joinedAt);
  const limit = silentSince + settings.responseTimeoutMs;
  return now >= limit ? { kind: 'unavailable', silentMs: now - silentSince } : { kind: 'wait', until: limit };
}
