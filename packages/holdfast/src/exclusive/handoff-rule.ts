/**
 * How long one process may keep passing a lock among its own tasks, and how long they let others go first after that.
 *
 * As long as it likes while no other process waits. When another process waits, for a *turn*: so many critical sections that the lock is in use for
 * 90 % of the time however short they are, which is when they take nine times what handing over takes. That many are counted, and not
 * timed, and the count travels with the lock: each holder tells it to the next, moved a little towards what it has measured itself. So all
 * processes take turns of one length, and with equal demand they get equal shares. Were each to time its turn by what it measures, one that measures a
 * slower server, or whose last section ends just before its time is over, would get up to twice as much as another, for as long as it lives.
 *
 * A turn is bounded in time as well, for processes whose sections are longer than those of the others. Until a holder has been told a count, time alone
 * bounds it.
 *
 * Handing over takes a round trip where a release names the next owner. In Redisson mode it names none: each client that hears of it has to ask,
 * and would find the lock taken each time if the next task of this process asked right behind the release. So that one pauses.
 *
 * Where clients in other languages have the lock too (`foreign-owners.ts`), a turn is one section, as theirs is: each of their threads gives the lock back.
 */

import type { LockParts } from '../client-parts.js';
import { lettingInMs } from '../tenure/foreign-owners.js';
import type { Stake } from '../tenure/stake.js';

const TURN_HANDOVERS = 9;
const MOST_SECTIONS = 512;
/** Of the time that the measured turn takes. Processes that measure half and double of each other still have turns of one count. */
const LONGEST_TURN = 4;

/** From a message on the wire to the question that it causes, beside the round trip: a thread or an event loop has to wake. */
const WAKING_MS = 2;

/** Whether a tenure may be passed on to the next task of this process now. */
export function mayPassOn(tenure: Stake, parts: LockParts): boolean {
  if (!tenure.lease.check() || tenure.lease.state !== 'held' || !tenure.steps.settled) return false;
  if (tenure.otherWaiters.count === 0 && !parts.wakeup.blind) return true;
  if (isSharedAbroad(tenure.operations.key, parts)) return false;
  const heldMs = parts.clock.now() - tenure.heldSince;
  const turnMs = TURN_HANDOVERS * handoverMs(tenure, parts);
  if (tenure.turn === undefined) return sectionsOf(tenure) < MOST_SECTIONS && heldMs < turnMs;
  return sectionsOf(tenure) < tenure.turn && heldMs < LONGEST_TURN * turnMs;
}

/** How many critical sections the next turn is to have, now that this one is over; undefined when nobody else was seen to wait. */
export function turnAfter(tenure: Stake, parts: LockParts): number | undefined {
  if (tenure.otherWaiters.count === 0) return tenure.turn;
  const sectionMs = (parts.clock.now() - tenure.heldSince) / sectionsOf(tenure);
  const turnMs = TURN_HANDOVERS * handoverMs(tenure, parts);
  // A clock may have stood still meanwhile.
  const measured = sectionMs > 0 ? Math.round(turnMs / sectionMs) : MOST_SECTIONS;
  return moved(tenure.turn, Math.min(MOST_SECTIONS, Math.max(1, measured)));
}

/**
 * Only when it is half or more off, and by a sixteenth: processes that measure differently then agree on a count that none of them moves, and one odd turn
 * moves it little.
 */
function moved(turn: number | undefined, measured: number): number {
  if (turn === undefined) return measured;
  if (Math.abs(measured - turn) < Math.max(1, turn / 2)) return turn;
  return turn + Math.sign(measured - turn) * Math.ceil(turn / 16);
}

/** Those of this tenure so far. */
function sectionsOf(tenure: Stake): number {
  return tenure.handoffs + 1;
}

function handoverMs({ operations }: Stake, parts: LockParts): number {
  return parts.wakeup.blind ? pauseMs(operations.key, parts) : parts.sender.roundTripMs(operations.key);
}

/** How long the tasks of this process let others go first once it has given a lock back. */
export function pauseMs(lockKey: string, parts: LockParts): number {
  const { wakeup, sender } = parts;
  if (!wakeup.blind) return 0;
  const roundTripMs = sender.roundTripMs(lockKey);
  return isSharedAbroad(lockKey, parts) ? lettingInMs(roundTripMs) : WAKING_MS + 2 * roundTripMs;
}

const isSharedAbroad = (lockKey: string, { wakeup }: LockParts): boolean => wakeup.foreignOwners?.has(lockKey) === true;
