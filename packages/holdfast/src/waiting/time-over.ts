/** What becomes of a call whose time is over: the facts for {@link decideAtTimeout}, and what is done with the decision. */

import type { LockParts } from '../client-parts.js';
import { type About, unavailableError } from '../tenure/failures.js';
import type { Stake } from '../tenure/stake.js';
import { decideAtTimeout, type TimeoutDecision, type TimeoutSituation } from './timeout-decision.js';

/** A call whose time is over. It waits on, or has its answer. */
export interface OverdueCall
  extends Pick<TimeoutSituation, 'joinedAt' | 'until' | 'singleAttempt' | 'confirmingSince'> {
  /** See {@link TimeoutSituation}. */
  isLate?: boolean;
  expireAt(time: number): void;
  refuse(error: unknown): void;
  turnAway(refusal: 'busy' | 'unanswered'): void;
}

/** What it waits for. */
export interface AwaitedThing extends Pick<TimeoutSituation, 'heldHere' | 'busyAt'> {
  readonly about: About & { readonly key: string };
  /** What asks Redis about it, if anything does. */
  readonly asking:
    | (Partial<Pick<Stake, 'unansweredSince' | 'resentSince' | 'setback'>> & Pick<Stake, 'trouble'>)
    | undefined;
}

type Parts = Pick<LockParts, 'clock' | 'topology' | 'settings'>;

export function decisionOn(
  { joinedAt, until, singleAttempt, isLate, confirmingSince }: OverdueCall,
  { about, asking, heldHere, busyAt }: AwaitedThing,
  { clock, topology, settings }: Parts,
): TimeoutDecision {
  return decideAtTimeout(
    {
      now: clock.now(),
      joinedAt,
      until,
      singleAttempt,
      isLate,
      confirmingSince,
      heldHere,
      busyAt,
      unansweredSince: asking?.unansweredSince,
      resentSince: asking?.resentSince,
      setback: asking?.setback,
      reach: topology.reachOf(about.key),
    },
    settings,
  );
}

/** To be called when all that has arrived has been read. */
export function judgeOverdue(call: OverdueCall, awaited: AwaitedThing, parts: Parts): void {
  const decision = decisionOn(call, awaited, parts);
  const { about, asking } = awaited;
  if (decision.kind === 'wait') {
    call.isLate = true;
    call.expireAt(decision.until);
  } else if (decision.kind === 'unavailable')
    call.refuse(unavailableError(about, decision.silentMs, asking?.trouble, parts.topology.reachOf(about.key)));
  else call.turnAway(decision.kind);
}
