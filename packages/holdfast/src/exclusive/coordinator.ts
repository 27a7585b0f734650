/**
 * The coordinator: everything one client does about one lock name.
 *
 * It owns three things: the *holds* that are open (innermost last), the *queue* of calls that wait, and at most one *tenure*, the part that
 * Redis sees. Only the coordinator talks to the tenure; the queue waits in memory, so Redis sees processes and not tasks.
 *
 *      queue    tenure    holds      what happens next
 *      any      none      none       a call arrives: a new tenure asks
 *      some     asking    none       held: the first in the queue gets it. Busy: those that wanted one attempt are told so
 *      none     asking    none       all calls gave up: the tenure is cancelled
 *      any      held      some       calls inside the innermost hold re-enter, first come first served; the others wait
 *      some     held      none       (after the last release) it passes in memory, or by one script, or is given back and asked for again
 *      none     held      none       it is given back
 *
 * How a call comes to its hold is in `admission.ts`, how a hold is given back in `departure.ts`, how all are lost in `loss.ts`, and what becomes
 * of a call whose time is over in `expiry.ts`. What is decided here is what a new call does, and what the news of the tenure mean. Which calls may
 * enter, and when the lock may pass in memory, is the primitive's policy (`policy.ts`). Passing in memory costs no command.
 * When the tenure is lost every hold is lost with it, the waiting calls go on with a new tenure, and the old one is cancelled.
 * Listeners come last: users are told of a change when it is complete, because what they call may be this very lock.
 */

import type { LockParts } from '../client-parts.js';
import { LockClientClosedError, type LockLostReason } from '../errors.js';
import { none } from '../lists.js';
import type { ScopedHold } from '../scopes/scope.js';
import { type Failure, failureError } from '../tenure/failures.js';
import type { Inherited } from '../tenure/inherited.js';
import type { Operations } from '../tenure/operations.js';
import type { Stake } from '../tenure/stake.js';
import { judge } from '../waiting/deadlock.js';
import type { LinkedList } from '../waiting/linked-list.js';
import { SelfWaitWatch } from '../waiting/self-wait-watch.js';
import { nobody, type QueuedCalls } from '../waiting/wait-queue.js';
import { type AcquireRequest, Waiter, type WaiterKeeper } from '../waiting/waiter.js';
import { contend, enter, join, reenter } from './admission.js';
import { leave, vacateAfterAll } from './departure.js';
import { endAttempts, endSingleAttempts, expire } from './expiry.js';
import { extend } from './extension.js';
import { giveBackUnused } from './inheritance.js';
import type { HoldRecord } from './hold-record.js';
import type { Coordinating } from './coordinating.js';
import { type ExclusiveLock, isGivenUp, type LockHome, type Seated } from './lock.js';
import { abandon, lose, takeBack } from './loss.js';
import { OpenHolds } from './open-holds.js';
import type { ExclusivePolicy } from './policy.js';
import { lostAround, mayReenter } from './reentry.js';

/** See the module comment. */
export class Coordinator<P extends ExclusivePolicy = ExclusivePolicy>
  implements Coordinating, ExclusiveLock, WaiterKeeper
{
  readonly operations: Operations;
  readonly parts: LockParts;
  readonly policy: P;
  readonly holds = new OpenHolds();
  queue: QueuedCalls = nobody;
  arriving: LinkedList<Waiter> | undefined;
  tenure: Stake | undefined;
  busyAt: number | undefined;
  inherited: Inherited | undefined;
  keptUntil: number | undefined;
  turn: number | undefined;
  readonly #home: LockHome;
  #selfWait: SelfWaitWatch | undefined;
  #foreignSeen = 0;
  /** Changes of this lock under way, inside each other. */
  #changes = 0;

  constructor(operations: Operations, policy: P, parts: LockParts, home: LockHome) {
    this.operations = operations;
    this.policy = policy;
    this.parts = parts;
    this.#home = home;
  }

  get closing(): boolean {
    return this.#home.closing;
  }

  get name(): string {
    return this.operations.name;
  }

  get primitive(): string {
    return this.operations.primitive;
  }

  /**
   * Resolves with what the request's completion makes of a hold, or of `busy` when the lock was that for as long as it was willing to wait.
   * Rejects with LockLostError when the request comes from inside a hold of this lock that has been lost: never a fresh acquisition.
   */
  acquire(request: AcquireRequest): Promise<unknown> {
    return this.change(() => this.admit(request));
  }

  private admit(request: AcquireRequest): Promise<unknown> {
    const { parts, holds, policy } = this;
    this.check();
    const lost = lostAround(request, request.scope);
    if (lost !== undefined) return this.refuse(request, lost.lossError());
    if (request.signal?.aborted) return this.refuse(request, request.signal.reason);
    const waiter = new Waiter(request, parts, this);
    const entry = policy.entry(this, request);
    if (entry === 'inside') {
      reenter(this, waiter);
    } else if (this.closing) {
      waiter.refuse(new LockClientClosedError(this.name));
    } else if (entry === 'beside') {
      enter(this, this.tenure as Stake, waiter, 'local');
    } else if (waiter.singleAttempt && !holds.isEmpty) {
      waiter.turnAway('busy');
    } else if (parts.limits.waitersReached && !this.holdsFor(request)) {
      waiter.refuse(parts.limits.reached(this, 'waiters'));
    } else {
      waiter.standsBehind = this.#home.placeIn?.(this);
      const verdict = judge(waiter, this.#home, parts);
      if (verdict !== 'refused') join(this, waiter);
      if (verdict === 'waits' && !waiter.settled)
        (this.#selfWait ??= new SelfWaitWatch(this, this.#home, parts)).watch(waiter);
    }
    return waiter.promise;
  }

  /** The call is inside a hold of this lock, and waits for nothing but another branch of it. */
  private holdsFor(request: AcquireRequest): boolean {
    return this.holds.all.some((record) => mayReenter(request, record));
  }

  private async refuse(request: AcquireRequest, error: unknown): Promise<never> {
    this.parts.reporter.failed(request, error);
    throw error;
  }

  lockOf(hold: ScopedHold): ExclusiveLock | undefined {
    return this.holds.has(hold) ? this : undefined;
  }

  get waiting(): Iterable<Waiter> {
    return this.queue;
  }

  heldUnder(id: string): readonly HoldRecord[] {
    return this.tenure?.id === id ? this.holds.all : none;
  }

  takenAway(id: string, reason: LockLostReason): void {
    if (this.tenure?.id === id) this.tenure.lease.lose(reason);
  }

  onGranted(granted: Seated): void {
    if (granted !== this && this.tenure?.held) this.tenure.lease.question();
  }

  refuseWaiting(): void {
    this.change(() => {
      for (const waiter of this.queue) waiter.refuse(new LockClientClosedError(this.name));
    });
  }

  close(): void {
    this.change(() => takeBack(this));
  }

  check(): void {
    if (this.tenure?.held) this.tenure.lease.check();
  }

  release(record: HoldRecord): Promise<void> {
    return this.change(() => leave(this, record));
  }

  abandon(record: HoldRecord): void {
    this.change(() => abandon(this, record));
  }

  extend(record: HoldRecord, ms: number): Promise<void> {
    return extend(this, record, ms);
  }

  onEmptied(tenure: Stake, last: HoldRecord): void {
    vacateAfterAll(this, tenure, last);
  }

  onExpire(waiter: Waiter): void {
    expire(this, waiter);
  }

  onLeave(waiter: Waiter, answer: 'busy' | { error: unknown }): void {
    const { reporter } = this.parts;
    this.change(() => {
      if (answer === 'busy') reporter.busy(waiter.request);
      else reporter.failed(waiter.request, answer.error);
      if (waiter.record === undefined && this.queue.remove(waiter)) this.giveUpUnlessWanted();
    });
  }

  /** The call waits for another lock from now on. */
  handOn(waiter: Waiter, to: Coordinator): void {
    this.change(() => {
      this.queue.remove(waiter);
      this.giveUpUnlessWanted();
    });
    waiter.moveTo(to);
    to.change(() => join(to, waiter));
  }

  private giveUpUnlessWanted(): void {
    const { tenure, queue } = this;
    if (tenure === undefined || tenure.held) return;
    if (queue.demand !== undefined) {
      tenure.want(queue.demand);
      return;
    }
    this.tenure = undefined;
    void tenure.cancel();
  }

  onHeld(tenure: Stake, how: 'asked' | 'granted', inherited?: Inherited): void {
    this.change(() => {
      this.#home.granted(this);
      this.inherited = inherited ?? this.inherited;
      const { first } = this.queue;
      // Given with the lease of a call that has gone, which cannot be made shorter: it is asked for anew.
      if (first === undefined || (this.operations.neverShortens && !tenure.suits(first.request.terms, how))) {
        this.tenure = undefined;
        giveBackUnused(this, tenure);
        contend(this);
        return;
      }
      enter(this, tenure, first, how);
      endSingleAttempts(this.queue);
    });
  }

  onPlace(): void {
    this.#home.onPlace?.(this);
  }

  onBusy(tenure: Stake, askedAt: number, owner: 'holdfast' | 'foreign'): void {
    this.change(() => {
      this.busyAt = this.parts.clock.now();
      if (owner === 'foreign' && !this.parts.wakeup.blind && ++this.#foreignSeen === 2)
        this.parts.reporter.foreignOwner(this.name);
      endAttempts(this.queue, askedAt);
      this.#home.onKeptOut?.(this);
      if (this.tenure === tenure && this.queue.hasSingleAttempts) tenure.ask();
    });
  }

  onFailed(tenure: Stake, failure: Failure | { kind: 'over' }): void {
    this.change(() => {
      this.tenure = undefined;
      if (failure.kind === 'over') tenure.forget();
      else {
        void tenure.cancel();
        for (const waiter of this.queue) waiter.refuse(failureError(this, failure));
      }
      contend(this);
    });
  }

  onLost(tenure: Stake, reason: LockLostReason): void {
    if (this.tenure === tenure) lose(this, tenure, reason);
    else void tenure.cancel('released');
  }

  onSuspect(tenure: Stake): void {
    // A hold that no call can rely on any more worries no listener.
    const { relied } = this.holds;
    if (this.tenure === tenure && relied !== undefined) this.parts.reporter.suspect(relied);
  }

  /**
   * Whatever changes the lock does it in here. When its outermost change is complete, a coordinator of which nothing is left is dismissed, and
   * only then users are told what happened: what they call finds the lock at rest, or another coordinator.
   */
  change<T>(work: () => T): T {
    const { tellings } = this.parts;
    this.#changes++;
    tellings.hold();
    try {
      return work();
    } finally {
      // Counted here: this change may run inside one of another lock, which looks after itself only.
      if (--this.#changes === 0) this.tidyUp();
      tellings.release();
    }
  }

  private tidyUp(): void {
    if (this.queue.first !== undefined) return;
    this.queue = nobody;
    // Behind what is under way: who gives a hold back meanwhile is still to hear of that.
    if (this.closing && isGivenUp(this)) this.holds.first?.release().catch(() => undefined);
    if (this.tenure !== undefined || this.arriving !== undefined || !this.holds.isEmpty) return;
    this.#selfWait?.stop();
    this.#home.dismiss(this);
  }
}
