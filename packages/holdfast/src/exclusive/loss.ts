/**
 * Loss: how all holds of a lock end against their holders' will, and what becomes of the calls that wait.
 *
 * All holds are lost before any listener is told, and all signals abort before anything else is told. Calls inside a lost hold are refused:
 * they must never acquire afresh. Calls whose hold was on the way go back to the queue before the queue asks again: they came first.
 */

import { LockClientClosedError, type LockLostReason } from '../errors.js';
import { none } from '../lists.js';
import { contend, sendBack } from './admission.js';
import type { HoldRecord } from './hold-record.js';
import { bereave, endOf } from './inheritance.js';
import { type ExclusiveLock, retune } from './lock.js';
import { keptForAll } from './minimum.js';
import { lostAround } from './reentry.js';
import type { Stake } from '../tenure/stake.js';

/**
 * The tenure is lost. What gives the lock to others, where Redis has it still, leaves when all have been told: before anybody else can get it. What they
 * ask of other locks meanwhile is sent at once, since its time is running.
 */
export function lose(lock: ExclusiveLock, tenure: Stake, reason: LockLostReason): void {
  lock.parts.sender.together(() => lock.change(() => loseTenure(lock, tenure, reason)), lock.operations.key);
}

function loseTenure(lock: ExclusiveLock, tenure: Stake, reason: LockLostReason): void {
  // Redis still has it: this process was to hold it for no longer, and the minimum is for others.
  void tenure.cancel(endOf(lock), reason === 'max-hold' ? keptForAll(lock) : undefined);
  lock.tenure = undefined;
  bereave(lock, reason);
  loseHolds(lock, reason, tenure.refusal);
  refuseCallsInside(lock);
  for (const waiter of lock.arriving ?? none) sendBack(lock, waiter);
  contend(lock);
}

/** The client closes: open holds are lost with reason `closed`, and the lock is given back whatever its count, or rests until their minimum is over. */
export function takeBack(lock: ExclusiveLock): void {
  const { tenure } = lock;
  if (tenure === undefined) return;
  lock.tenure = undefined;
  const end = tenure.held ? endOf(lock) : 'unused';
  const restUntil = keptForAll(lock);
  bereave(lock, 'closed');
  loseHolds(lock, 'closed');
  // Who holds it is told before anybody else can get it, even if this process is stopped in between.
  lock.parts.tellings.tell(() => void tenure.cancel(end, restUntil));
  for (const waiter of lock.arriving ?? none) {
    waiter.refuse(new LockClientClosedError(lock.name));
    sendBack(lock, waiter);
  }
}

/** The scope of a hold has ended without its `unlock()`: the hold is lost to its scope, the others stay. */
export function abandon(lock: ExclusiveLock, record: HoldRecord): void {
  const { clock, tellings, reporter } = lock.parts;
  const now = clock.now();
  if (!record.lose('scope-ended', now)) return;
  tellings.tell(() => record.announceLoss());
  reporter.leftOpen(record, record.lossError(), heldMs(record, now));
  if (lock.tenure !== undefined) retune(lock, lock.tenure);
}

function loseHolds({ holds, parts }: ExclusiveLock, reason: LockLostReason, refusal?: Error): void {
  const { clock, tellings, reporter, unreported } = parts;
  const now = clock.now();
  const had = holds.loseAll(reason, now, refusal);
  for (const record of had)
    if (record.imperative && record.owner !== undefined) unreported.add(record, record.owner, record);
  // Thousands may be lost at once, and the stack of an error is the dearest part of it.
  const losses = had.map((record) => ({ record, error: record.lossError() }));
  for (const { record, error } of losses) tellings.tell(() => record.announceLoss(error));
  for (const { record, error } of losses) reporter.lost(record, error, heldMs(record, now));
}

/** They wait for other branches to give it back, and what they are inside of is lost meanwhile. */
export function refuseCallsInside({ queue }: ExclusiveLock): void {
  for (const waiter of queue) {
    const lost = lostAround(waiter.request, waiter.request.scope);
    if (lost !== undefined) waiter.refuse(lost.lossError());
  }
}

/** For how long its call has had it. */
function heldMs({ since }: HoldRecord, now: number): number {
  return now - (since ?? now);
}
