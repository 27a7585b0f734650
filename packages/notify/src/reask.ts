/**
 * When a waiter asks again. Messages are hints and may be lost, so every waiter asks on its own too: after the re-ask period R,
 * or as soon as the lease it was told about has run out, because an expiry sends no message. Nothing here polls: while the lock is
 * held on a lease longer than R, that is one command every R.
 */

/** Room for a round trip and timer jitter between a re-ask and the end of a claim lease, in milliseconds. */
const roundTripRoomMs = 250;
/** No period, however small it is configured, turns a waiter into a poller. */
const shortestPeriodMs = 5;
/** Waiters of one lock are told the same end of the lease. This spreads them, the head of the queue first. */
const spreadMs = 25;
/** Beyond this place in the queue one more step back would only delay the repair. */
const mostSteps = 8;

/** What is known when a waiter has been told to wait. */
export interface ReaskSituation {
  /** Re-ask period R, in milliseconds. */
  readonly reaskMs: number;
  /** What is left of the present owner's lease, in milliseconds; absent when the lock has no expiry or none is known. */
  readonly pttlMs?: number | undefined;
  /** Place in the queue: 0 is its head. */
  readonly position: number;
  /** Uniform in [0, 1), as `Math.random`. */
  readonly random: () => number;
}

/**
 * How long to wait, in milliseconds, before asking again: the re-ask period, or the rest of the lease and 1 to 25 ms of jitter
 * if that is sooner.
 *
 * Only one question is needed when a lease runs out, since any ask serves the head of the queue. The head asks first; each place
 * behind it stands 25 ms further back (up to 200 ms), to step in for a head that has died without all of them asking at once.
 */
export function nextAskDelayMs({ reaskMs, pttlMs, position, random }: ReaskSituation): number {
  const periodMs = Math.max(reaskMs, shortestPeriodMs);
  if (pttlMs === undefined) return periodMs;
  const jitterMs = 1 + Math.floor(random() * spreadMs);
  const backMs = Math.min(Math.max(position, 0), mostSteps) * spreadMs;
  return Math.min(periodMs, Math.max(pttlMs, 0) + jitterMs + backMs);
}

/** The two periods whose relation decides whether a lost message can be made good. */
export interface WaitTimings {
  /** Re-ask period R, in milliseconds. */
  readonly reaskMs: number;
  /** Claim lease C, in milliseconds: how long a granted tenure may stay silent. */
  readonly claimLeaseMs: number;
}

/**
 * Checks that a waiter whose grant message was lost asks before the grant has run out.
 *
 * @throws RangeError unless `reaskMs + 250 < claimLeaseMs`.
 */
export function assertTimings({ reaskMs, claimLeaseMs }: WaitTimings): void {
  if (reaskMs + roundTripRoomMs >= claimLeaseMs) {
    throw new RangeError(
      `reaskMs (${reaskMs}) plus ${roundTripRoomMs} ms for a round trip must be below claimLeaseMs (${claimLeaseMs}): ` +
        'otherwise a waiter whose message was lost always loses its grant before it asks',
    );
  }
}
