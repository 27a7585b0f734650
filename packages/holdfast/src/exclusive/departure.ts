/**
 * Departure: how a hold is given back, and what happens to the lock then.
 *
 *      holds left    calls that wait                      what happens
 *      some          any                                  Redis counts one less; calls inside the new innermost hold get in
 *      none          one that may have it in memory       it gets the lock: without a command, or by one script when leases differ
 *      none          others                               the tenure is given back, and the first call asks with a new one
 *      none          none                                 the tenure is given back
 *
 * A release is settled by Redis' answer, and in any case within `responseTimeoutMs`. What it finds out about the lock counts whether or not the
 * caller still waits for it.
 */

import { LockLostError, type LockLostReason } from '../errors.js';
import { none } from '../lists.js';
import { failureError } from '../tenure/failures.js';
import { type HoldTerms, outlastsLease } from '../tenure/hold-terms.js';
import { type CountedDown, type Gone, gone, type ReleaseOutcome, type Stake } from '../tenure/stake.js';
import type { Waiter } from '../waiting/waiter.js';
import { admitInside, contend, contendBeforehand, enter, passByScript, sendBack } from './admission.js';
import { pauseMs, turnAfter } from './handoff-rule.js';
import type { HoldRecord } from './hold-record.js';
import { giveBackUnused } from './inheritance.js';
import { type ExclusiveLock, isGivenUp, retune } from './lock.js';
import { refuseCallsInside } from './loss.js';
import { keptFor } from './minimum.js';
import { withinResponseTimeout } from './within-response-timeout.js';

/** One for all: a promise for each handoff in memory would be most of its cost. */
const done: Promise<void> = Promise.resolve();

/** A hold is released. */
export function leave(lock: ExclusiveLock, record: HoldRecord): Promise<void> {
  // Without a tenure no hold is open.
  const tenure = lock.tenure as Stake;
  const { since } = record;
  const now = lock.parts.clock.now();
  const outermost = lock.holds.first as HoldRecord;
  lock.holds.remove(record);
  if (record.lostWith !== undefined) refuseCallsInside(lock);
  if (since !== undefined) {
    lock.keptUntil = keptFor(record, lock.keptUntil);
    // What its scope had left open was told as lost.
    if (record.renewable) lock.parts.reporter.released(record, now - since);
  }
  // Else the lock would stay taken for as long as Redis does not answer for them.
  if (isGivenUp(lock)) for (const waiter of lock.arriving ?? none) sendBack(lock, waiter);
  return lock.holds.isEmpty ? vacate(lock, tenure, record, now) : countDown(lock, tenure, record, outermost);
}

/** A hold further in, which was on its way when those around it were released, was refused. */
export function vacateAfterAll(lock: ExclusiveLock, tenure: Stake, last: HoldRecord): void {
  // Else the step that is under way counts down, and sees to it.
  if (lock.tenure === tenure && tenure.steps.settled)
    void vacate(lock, tenure, last, lock.parts.clock.now()).catch(() => undefined);
}

/** A hold has gone, and not the last one. `outermost`: until then, which may have been itself. */
async function countDown(lock: ExclusiveLock, tenure: Stake, record: HoldRecord, outermost: HoldRecord): Promise<void> {
  const counted = lock.policy.countDown(lock, tenure);
  retune(lock, tenure, record);
  admitInside(lock);
  void counted.then((outcome) => lock.change(() => countedDown(lock, tenure, record, outcome)));
  const outcome = await withinResponseTimeout(counted, tenure, lock.parts, record.terms.endsSince);
  if (outcome.kind === 'held' || outcome.kind === 'released') return;
  // Of those around it: it was held until it was given back.
  if (tenure.whyLost('unreachable') === 'max-hold') return;
  const error = notGivenBack(lock, tenure, record, outcome);
  const { phase } = outermost;
  // Its caller is inside a hold that is lost. One whose scope has ended is lost to that only.
  throw phase.kind === 'lost' && phase.reason !== 'scope-ended' ? outermost.lossError() : error;
}

type NotReleased = Gone | Exclude<ReleaseOutcome, { kind: 'released' }>;

/** Of the reasons for a loss those that Redis has found; all others come of time that has passed. */
const found: readonly LockLostReason[] = ['deleted', 'taken', 'force-unlocked'];

/**
 * What a release is told that was not done: of a loss where Redis has found one before the lease was over. What it answers later would be the same if the
 * lock was held until it was given back, so it counts as no answer (ADR 11). A refusal says nothing of a loss.
 */
function notGivenBack(lock: ExclusiveLock, tenure: Stake, record: HoldRecord, outcome: NotReleased): Error {
  const isGone = outcome.kind === 'lost' || outcome.kind === 'unheld';
  const inTime = isGone && lock.parts.clock.now() < tenure.lease.deadline;
  const reason = tenure.whyLost(inTime ? 'deleted' : 'unreachable');
  if (!found.includes(reason)) return failureError(lock, isGone ? { kind: 'silent', error: tenure.refusal } : outcome);
  const error = new LockLostError(lock.name, reason, lock.primitive);
  // What its scope had left open was told as lost then.
  if (record.renewable) lock.parts.reporter.lost(record, error, undefined);
  return error;
}

function countedDown(lock: ExclusiveLock, tenure: Stake, record: HoldRecord, outcome: CountedDown): void {
  if (lock.tenure !== tenure) return;
  const { isEmpty } = lock.holds;
  // Redis must count the holds that are here, and does not.
  if (outcome.kind === 'lost' || (outcome.kind === 'released' && !isEmpty)) tenure.lease.lose('deleted');
  else if (outcome.kind === 'released') {
    lock.tenure = undefined;
    // Where that is not over, the lock rests by now.
    lock.keptUntil = undefined;
    tenure.forget();
    freed(lock, lock.parts.clock.now());
  } else if (isEmpty) vacateAfterAll(lock, tenure, record);
}

/** The last hold has gone. */
function vacate(lock: ExclusiveLock, tenure: Stake, last: HoldRecord, now: number): Promise<void> {
  const next = lock.queue.first;
  const { keptUntil } = lock;
  lock.keptUntil = undefined;
  tenure.turn ??= lock.turn;
  const restUntil = keptUntil !== undefined && keptUntil > now ? keptUntil : undefined;
  const longer = next !== undefined && outlasts(tenure, last, next.request.terms, now);
  const passes =
    restUntil === undefined &&
    next !== undefined &&
    next.request.owner === last.owner &&
    !(longer && lock.operations.neverShortens) &&
    lock.policy.mayPassOn(tenure, lock.parts);
  // The policy looks at the lease, and may be the first to see that it is over.
  if (lock.tenure !== tenure) return Promise.reject(notGivenBack(lock, tenure, last, gone));
  if (passes) {
    tenure.handoffs++;
    return longer ? passOnByScript(lock, tenure, last, next) : passOn(lock, tenure, last, next);
  }
  return giveBack(lock, tenure, last, { now, restUntil });
}

/** By what was asked for besides a lease, the lock would stay taken for longer than the next call wants, also after a crash. */
function outlasts(tenure: Stake, last: HoldRecord, { leaseMs }: HoldTerms, now: number): boolean {
  return outlastsLease(last.terms) || tenure.steps.raising === true || tenure.lease.deadline - now > leaseMs;
}

/** To the next call of this process. */
function passOn(lock: ExclusiveLock, tenure: Stake, last: HoldRecord, next: Waiter): Promise<void> {
  const { terms } = next.request;
  const watched = terms.mode === 'watched' && last.terms.mode === 'watched';
  const countedSince = lock.parts.clock.now() - terms.leaseMs / 3;
  // The notice that others wait may be lost, or forbidden: now and then the script that passes the lock on tells too.
  const counted = tenure.otherWaiters.countedSince(countedSince);
  if (!watched || !counted || tenure.tokens?.spent === true) return passOnByScript(lock, tenure, last, next);
  tenure.tokens?.advance();
  enter(lock, tenure, next, 'local');
  return done;
}

async function passOnByScript(lock: ExclusiveLock, tenure: Stake, last: HoldRecord, next: Waiter): Promise<void> {
  const outcome = await withinResponseTimeout(
    passByScript(lock, tenure, next),
    tenure,
    lock.parts,
    last.terms.endsSince,
  );
  if (outcome.kind !== 'held') throw notGivenBack(lock, tenure, last, outcome);
}

function giveBack(
  lock: ExclusiveLock,
  tenure: Stake,
  last: HoldRecord,
  { now, restUntil }: { now: number; restUntil: number | undefined },
): Promise<void> {
  lock.tenure = undefined;
  // No call has had it, and what it inherited is still to be told.
  if (lock.inherited !== undefined) {
    giveBackUnused(lock, tenure);
    freed(lock, now);
    return done;
  }
  lock.turn = turnAfter(tenure, lock.parts);
  const failure = (outcome: ReleaseOutcome) =>
    outcome.kind === 'released' ? undefined : notGivenBack(lock, tenure, last, outcome);
  contendBeforehand(lock);
  const returned = tenure.giveBack(last.terms.endsSince ?? now, failure, { restUntil, turn: lock.turn });
  freed(lock, now);
  return returned;
}

function freed(lock: ExclusiveLock, now: number): void {
  // A call whose time is over before the next ask is answered: the lock was busy until now, with us.
  lock.busyAt = now;
  // Without a pause the ask is sent right behind the release on the same connection: the calls that wait lose no round trip.
  contend(lock, pauseMs(lock.operations.key, lock.parts));
  // It asked beforehand, and no message will say what came of that.
  if (lock.operations.asksBeforehand && lock.parts.wakeup.deaf) lock.tenure?.ask();
}
