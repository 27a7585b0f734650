/**
 * Admission: how a waiting call comes to its hold, as the steps of one state machine.
 *
 *      in the queue --- reenter, passByScript ---> confirming --- Redis says yes ---> delivering ---> open
 *           |   ^                                     |  |                            ^   |  |
 *           |   |                                     |  +-- Redis says no: the call is refused
 *           |   |                                     |                               |   |  +-- the call has its answer: released
 *           |   +--------- the lease was lost --------+-------------------------------|---+
 *           +------------- enter -----------------------------------------------------+
 *
 * The hold takes its place as the innermost with the first step, so that no other call gets in meanwhile: not even another branch below the
 * same parent. A call that is sent back keeps its place in the queue, unless it was inside a hold that is lost: that one must never acquire
 * afresh.
 *
 * Each step first looks at the phase: a look at the lease may have found it over, and sent the call back.
 */

import { LockClientClosedError } from '../errors.js';
import type { AcquiredHow } from '../reports/stats.js';
import type { Scope } from '../scopes/scope.js';
import { failureError } from '../tenure/failures.js';
import type { HeldOutcome } from '../tenure/stake.js';
import { type HoldTerms, outlastsLease } from '../tenure/hold-terms.js';
import type { Inherited } from '../tenure/inherited.js';
import type { Stake } from '../tenure/stake.js';
import { LinkedList } from '../waiting/linked-list.js';
import { nobody, WaitQueue } from '../waiting/wait-queue.js';
import type { AcquireRequest, Waiter } from '../waiting/waiter.js';
import { delivering, type HoldPhase } from './hold-phase.js';
import { HoldRecord } from './hold-record.js';
import { type ExclusiveLock, retune } from './lock.js';

/** The call waits from now on. */
export function join(lock: ExclusiveLock, waiter: Waiter): void {
  const asking = lock.tenure;
  ownQueue(lock).addLast(waiter);
  contend(lock);
  // A new tenure has just asked.
  if (!waiter.singleAttempt) asking?.stayFresh(waiter.until);
}

/** Has Redis asked for the lock on behalf of the first call in the queue, if there is one: at once, or after a pause. */
export function contend(lock: ExclusiveLock, afterMs = 0): void {
  const { queue, parts, operations } = lock;
  const { first, demand } = queue;
  if (first === undefined || demand === undefined) return;
  if (lock.tenure === undefined) {
    if (first.request.ahead?.claim(lock)) return;
    lock.tenure = parts.openStake(operations, { owner: first.request.owner, demand }, lock);
    if (afterMs === 0) lock.tenure.ask();
    else lock.tenure.askAt(parts.clock.now() + afterMs);
  } else {
    lock.tenure.want(demand);
    if (queue.hasSingleAttempts) lock.tenure.ask();
  }
}

/** The lock is about to be given back. Where no message can tell us that we are next, an ask before that would only be told that it is busy. */
export function contendBeforehand(lock: ExclusiveLock): void {
  if (lock.operations.asksBeforehand && lock.parts.wakeup.hears) contend(lock);
}

/** The innermost hold has changed: calls inside it need not wait any longer, nor those inside what they get. */
export function admitInside(lock: ExclusiveLock): void {
  const { policy } = lock;
  for (let next = policy.nextToEnter(lock); next !== undefined; next = policy.nextToEnter(lock)) {
    if (policy.entry(lock, next.request) === 'beside') enter(lock, lock.tenure as Stake, next, 'local');
    else reenter(lock, next);
  }
}

/** The call is inside the innermost hold: Redis counts one more. */
export function reenter(lock: ExclusiveLock, waiter: Waiter): void {
  const { limits } = lock.parts;
  if (limits.depthReached(lock.policy.depthOf(lock, waiter.request))) {
    waiter.refuse(limits.reached(lock, 'depth'));
    return;
  }
  const { terms } = waiter.request;
  const tenure = lock.tenure as Stake;
  const record = begin(lock, waiter, confirming(lock, 're-entered'));
  record.adopt(unlockScopeOf(waiter.request, 're-entered'));
  // The hold around it may have been released by the time at which Redis answers.
  record.inherited = record.ahead?.inherited;
  retune(lock, tenure, record);
  const counted = tenure.steps.countUp(terms.mode === 'fixed' ? terms.leaseMs : 0);
  void counted.then((outcome) => lock.change(() => confirmed(lock, { tenure, waiter, record, outcome })));
}

/** The tenure is ours, and no hold keeps the call out: it has it at once, after a handoff in memory perhaps in the next turn of the event loop. */
export function enter(lock: ExclusiveLock, tenure: Stake, waiter: Waiter, how: 'asked' | 'granted' | 'local'): void {
  const step = how === 'local' ? undefined : stepBefore(lock, tenure, waiter.request.terms, how);
  if (step !== undefined) {
    const record = begin(lock, waiter, confirming(lock, how));
    void step().then((outcome) => lock.change(() => confirmed(lock, { tenure, waiter, record, outcome })));
    return;
  }
  const record = begin(lock, waiter, delivering[how]);
  // Any other tenure has just begun on the terms of this call.
  if (how === 'local') retune(lock, tenure, record);
  deliver(lock, waiter, record);
}

/** What Redis is to do before the call has the lock, if anything. */
function stepBefore(
  lock: ExclusiveLock,
  tenure: Stake,
  terms: HoldTerms,
  how: 'asked' | 'granted',
): (() => Promise<HeldOutcome>) | undefined {
  const { replicas } = lock.parts.settings;
  const { leaseMs, minHoldMs = 0 } = terms;
  const raise = () => tenure.steps.raise(Math.max(leaseMs, minHoldMs), replicas);
  const outlasts = outlastsLease(terms);
  if (tenure.suits(terms, how)) return outlasts ? raise : undefined;
  // One after the other: who gives the lock back when the minimum is refused waits for no step that is under way, and a lease that begins anew behind it would end it.
  return async () => {
    const outcome = await tenure.steps.restart(leaseMs, () => retune(lock, tenure));
    // Replicas have confirmed another lease so far.
    return outcome.kind === 'held' && (outlasts || replicas) ? raise() : outcome;
  };
}

/** The tenure is ours, and no hold of it is left: Redis gives it the lease that the call asks for. */
export function passByScript(lock: ExclusiveLock, tenure: Stake, waiter: Waiter): Promise<HeldOutcome> {
  const record = begin(lock, waiter, confirming(lock, 'passed'));
  const passing = tenure.steps.passOn(record.terms.leaseMs, () => retune(lock, tenure));
  void passing.then((outcome) => lock.change(() => confirmed(lock, { tenure, waiter, record, outcome })));
  return passing;
}

/** The lock was lost before the call got its hold, or nobody waits for that hold any more. A new owner just goes on waiting; a nested call must never acquire afresh. */
export function sendBack(lock: ExclusiveLock, waiter: Waiter): void {
  const { record } = waiter;
  if (record === undefined) return;
  const nested = record.how === 're-entered';
  const lost = record.lossError();
  arrived(lock, waiter);
  lock.holds.remove(record);
  if (nested) waiter.refuse(lost);
  if (lock.closing) waiter.refuse(new LockClientClosedError(lock.name));
  if (waiter.settled) return;
  waiter.waitOn(lock.parts.settings);
  ownQueue(lock).addFirst(waiter);
  contend(lock);
}

/** The queue that a call may join: one of the lock's own, since `nobody` is shared by all locks. */
function ownQueue(lock: ExclusiveLock): WaitQueue {
  if (lock.queue === nobody) lock.queue = new WaitQueue(lock.parts.limits, lock.policy);
  // Whatever else stands there was made by this function.
  return lock.queue as WaitQueue;
}

function confirming({ parts }: ExclusiveLock, how: AcquiredHow): HoldPhase {
  return { kind: 'confirming', how, since: parts.clock.now() };
}

/** The hold stands in its place from now on. */
function begin(lock: ExclusiveLock, waiter: Waiter, phase: HoldPhase): HoldRecord {
  lock.queue.remove(waiter);
  const record = new HoldRecord(lock, waiter.request, phase);
  waiter.record = record;
  lock.arriving ??= new LinkedList();
  lock.arriving.addLast(waiter);
  lock.holds.addLast(record);
  return record;
}

/** The call has its hold, or will not get it. */
function arrived(lock: ExclusiveLock, waiter: Waiter): void {
  waiter.record = undefined;
  lock.arriving?.remove(waiter);
  if (lock.arriving?.first === undefined) lock.arriving = undefined;
}

/** Redis has answered for a hold on its way. */
function confirmed(
  lock: ExclusiveLock,
  { tenure, waiter, record, outcome }: { tenure: Stake; waiter: Waiter; record: HoldRecord; outcome: HeldOutcome },
): void {
  // The lease may also have ended before the answer came.
  if (outcome.kind === 'lost') tenure.lease.lose(outcome.reason);
  else lock.check();
  const { phase } = record;
  // Lost meanwhile, and the call was sent back.
  if (phase.kind !== 'confirming') return;
  if (outcome.kind === 'held') {
    record.deliver();
    deliver(lock, waiter, record);
    return;
  }
  if (outcome.kind === 'lost') {
    sendBack(lock, waiter);
    return;
  }
  lock.holds.remove(record);
  arrived(lock, waiter);
  waiter.refuse(failureError(lock, outcome));
  // The count is as it was; the calls that wait go on, and the lease is for those that are left.
  if (lock.holds.isEmpty) {
    lock.onEmptied(tenure, record);
    return;
  }
  retune(lock, tenure, record);
  admitInside(lock);
}

function deliver(lock: ExclusiveLock, waiter: Waiter, record: HoldRecord): void {
  const { phase } = record;
  if (phase.kind !== 'delivering') return;
  const open = () => lock.change(() => opened(lock, waiter, record));
  if (phase.how === 'local') lock.parts.turns.take(open);
  else open();
}

/** Nobody else gets the lock before, even if this process dies. An ask has given the lease of this very call; another may be shorter. */
function keepFor({ tenure }: ExclusiveLock, how: AcquiredHow, terms: HoldTerms): void {
  const { minHoldMs } = terms;
  // Where it outlasts that lease, it was raised before the call had it.
  if (minHoldMs === undefined || how === 'asked' || (how === 'granted' && outlastsLease(terms))) return;
  void tenure?.steps.raise(minHoldMs);
}

/** News is told to the first hold, and to those inside it. */
function inheritedBy(lock: ExclusiveLock, record: HoldRecord): Inherited | undefined {
  const { inherited } = lock;
  lock.inherited = undefined;
  return inherited ?? record.inherited ?? record.ahead?.inherited;
}

/** The scope whose `unlock` undoes the hold: where the call has re-entered the one around it, else `client.run` only. */
function unlockScopeOf({ kind, scope }: AcquireRequest, how: AcquiredHow): Scope | undefined {
  return kind === 'imperative' && (how === 're-entered' || scope?.kind === 'thread') ? scope : undefined;
}

function opened(lock: ExclusiveLock, waiter: Waiter, record: HoldRecord): void {
  // Looked at first: it may be this look that finds the lease over, and sends the call back.
  lock.check();
  const { phase } = record;
  if (phase.kind !== 'delivering') return;
  arrived(lock, waiter);
  if (waiter.settled) {
    // Answered meanwhile: there is no hold on its behalf.
    void record.release().catch(() => undefined);
    return;
  }
  const { clock, reporter, longHoldWatch } = lock.parts;
  const now = clock.now();
  record.fence = lock.tenure?.tokens?.current;
  record.open(phase.how, now, unlockScopeOf(waiter.request, phase.how), inheritedBy(lock, record));
  keepFor(lock, phase.how, record.terms);
  waiter.give(record);
  reporter.acquired(record, now - waiter.joinedAt, phase.how);
  longHoldWatch?.opened(now);
  // Which calls are inside it could not be known before: only now it belongs to a scope.
  lock.policy.onOpened?.(record);
  admitInside(lock);
}
