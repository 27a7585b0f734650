/**
 * What to tell a call whose time is over.
 *
 * A call that waits for a limited time hears `busy` when the lock was known to be busy, else that Redis has not answered. One that waits
 * without limit does so only while Redis answers: its silence counts from the question that is unanswered, and never from before the call.
 */

import type { Settings } from '../options.js';

/** What is known about the lock and the call at that moment; all times are of the client's clock. */
export interface Situation {
  readonly now: number;
  readonly joinedAt: number;
  /** When the call's wait ends; infinite when it has no limit. */
  readonly until: number;
  /** Since when a level is on its way to the call, if one is. */
  readonly enteringSince: number | undefined;
  /** This process holds the lock for somebody else. */
  readonly heldHere: boolean;
  /** The last proof that the lock was busy. */
  readonly busyAt: number | undefined;
  /** Since when Redis owes an answer, if it does. */
  readonly unansweredSince: number | undefined;
}

/** What to tell it, or until when to let it wait. */
export type Verdict = { kind: 'busy' } | { kind: 'unavailable'; silentMs: number } | { kind: 'wait'; until: number };

/** However often a client asks, an answer is believed for a round trip on a slow network. */
const SHORTEST_PROOF_MS = 200;

export function verdictAtExpiry(situation: Situation, settings: Settings): Verdict {
  const { now, joinedAt, until, enteringSince, heldHere, busyAt, unansweredSince } = situation;
  const entering = enteringSince !== undefined;
  const held = heldHere && !entering;
  if (until !== Number.POSITIVE_INFINITY) {
    const freshMs = Math.max(2 * settings.reaskMs, SHORTEST_PROOF_MS);
    const knownBusy = held || (!entering && busyAt !== undefined && now - busyAt <= freshMs);
    return knownBusy ? { kind: 'busy' } : { kind: 'unavailable', silentMs: now - joinedAt };
  }
  const owedSince = held ? now : (enteringSince ?? unansweredSince ?? now);
  const silentSince = Math.max(owedSince, joinedAt);
  const limit = silentSince + settings.responseTimeoutMs;
  return now >= limit ? { kind: 'unavailable', silentMs: now - silentSince } : { kind: 'wait', until: limit };
}
