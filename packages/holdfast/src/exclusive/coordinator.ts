/**
 * The coordinator: everything one client does about one lock name.
 *
 * It owns three things: the *levels* that are open (innermost last), the *line* of calls that wait, and at most one *tenure*, the part that
 * Redis sees. Only the coordinator talks to the tenure; the line waits in memory, so Redis sees processes and not tasks.
 *
 *      line     tenure    levels     what happens next
 *      any      none      none       a waiter arrives: a new tenure asks
 *      some     asking    none       held: the first in line gets it. Busy: those who asked once are told so
 *      none     asking    none       everybody gave up: the tenure is cancelled
 *      any      held      some       descendants of the innermost level re-enter, first come first served; the others wait
 *      some     held      none       (after the last release) pass it on in memory, or by one script, or give it back and ask again
 *      none     held      none       give it back
 *
 * Re-entry (design.md, section 4): a call enters when the innermost level belongs to its scope or to an ancestor of it. A level that is
 * still entering counts as present, so that two branches below one parent never get in together.
 *
 * A lock passes in memory only while nothing speaks against it: the lease is healthy, the count is 1, no counted operation is under way,
 * the explicit owner (if any) stays the same, and those waiting in other processes are not kept longer than a small tenure. Passing in
 * memory costs no command.
 *
 * When the tenure is lost every level is lost with it, the waiting calls go on with a new tenure, and the old one is cancelled.
 *
 * Listeners come last: whoever is to be told of a change is told when it is complete, because what they call may be this very lock.
 */

import type { LockKeys } from '@holdfast/core';
import type { LeaseTerms } from '@holdfast/watchdog';
import { whenRead } from '../connection/reading.js';
import { LockClientClosedError, LockLostError, type LockLostReason } from '../errors.js';
import type { AcquiredHow } from '../reports/stats.js';
import type { ScopedHold } from '../scopes/scope.js';
import type { Bid } from '../tenure/ask-loop.js';
import { type AcquireRequest, Waiter, type WaiterKeeper } from '../waiting/waiter.js';
import { type Failure, failureError, unavailableError } from '../tenure/failures.js';
import { mayPassOn, pauseMs } from './handoff-rule.js';
import { HoldRecord, type HoldKeeper } from './hold-record.js';
import { WaitQueue } from '../waiting/wait-queue.js';
import type { ClientParts } from '../client-parts.js';
import { type TimeoutDecision, decideAtTimeout } from '../waiting/timeout-decision.js';
import { lostAround, mayReenter } from './reentry.js';
import { SelfWaitWatch } from '../waiting/self-wait-watch.js';
import { type CountedDown, type HeldOutcome, Tenure, type TenureListener } from '../tenure/tenure.js';
import { commonTerms, leaseTermsOf } from './hold-terms.js';
import { within } from '../tenure/within-response-timeout.js';
import { none, withLast, without } from '../lists.js';

/** One for all: a promise for each handoff in memory would be most of its cost. */
const done: Promise<void> = Promise.resolve();

/** A level on its way to a call, which is neither in the line nor done. */
interface Arrival {
  readonly waiter: Waiter;
  readonly record: HoldRecord;
  readonly how: AcquiredHow;
}

/** See the module comment. */
export class Coordinator implements HoldKeeper, WaiterKeeper, TenureListener {
  readonly name: string;
  readonly keys: LockKeys;
  readonly #parts: ClientParts;
  readonly #onIdle: (coordinator: Coordinator) => void;
  /** Innermost last. */
  #holds: readonly HoldRecord[] = none;
  readonly #queue: WaitQueue;
  #arrivals: readonly Arrival[] = none;
  #selfWait: SelfWaitWatch | undefined;
  #tenure: Tenure | undefined;
  /** Clock time of the last proof that the lock was busy, if there was any. */
  #busyAt: number | undefined;
  #foreignSeen = 0;
  #refusesWaiting = false;
  /** Changes of this coordinator under way, inside each other. */
  #changes = 0;

  constructor(keys: LockKeys, parts: ClientParts, onIdle: (coordinator: Coordinator) => void) {
    this.name = keys.name;
    this.keys = keys;
    this.#parts = parts;
    this.#onIdle = onIdle;
    this.#queue = new WaitQueue(parts.limits);
  }

  // ---------------------------------------------------------------- what callers do

  /**
   * Resolves with what the request's completion makes of a level, or of `busy` when the lock was that for as long as it was willing to wait.
   *
   * Rejects with LockLostError when the request comes from inside a hold of this lock that has been lost: never a fresh acquisition.
   */
  acquire(request: AcquireRequest): Promise<unknown> {
    return this.#change(() => this.#admit(request));
  }

  #admit(request: AcquireRequest): Promise<unknown> {
    this.check();
    const lost = lostAround(request);
    if (lost !== undefined) return this.#refuse(request, lost.lossError());
    if (request.signal?.aborted) return this.#refuse(request, request.signal.reason);
    const waiter = new Waiter(request, this.#parts, this);
    if (mayReenter(waiter.request, this.#innermost)) {
      this.#reenter(waiter);
    } else if (this.#refusesWaiting) {
      waiter.refuse(new LockClientClosedError(this.name));
    } else if (waiter.once && this.#holds.length > 0) {
      waiter.turnAway('busy');
    } else if (this.#parts.limits.waitersReached && !this.#holdsFor(request)) {
      waiter.refuse(this.#parts.limits.reached(this.name, 'waiters'));
    } else {
      const asking = this.#tenure;
      this.#queue.add(waiter);
      this.#contest();
      // One that is new has just asked.
      if (!waiter.once) asking?.stayFresh(waiter.until);
      if (!waiter.settled && this.#holds.length > 0)
        (this.#selfWait ??= new SelfWaitWatch(this, this.#queue, this.#parts)).watch(waiter);
    }
    return waiter.promise;
  }

  /** The tenure id under which `level` is held. */
  tenureIdOf(record: ScopedHold): string | undefined {
    return this.#holds.some((open) => open === record) ? this.#tenure?.id : undefined;
  }

  /** What is held under a tenure id, innermost last. */
  heldUnder(id: string): readonly HoldRecord[] {
    return this.#tenure?.id === id ? this.#holds : none;
  }

  /** The open levels, innermost last. */
  get holds(): readonly HoldRecord[] {
    return this.#holds;
  }

  /** The calls that wait, first come first. */
  get line(): Iterable<Waiter> {
    return this.#queue;
  }

  /** Tenure `id` has been taken away, as far as is known by other means than a renewal. */
  takenAway(id: string, reason: LockLostReason): void {
    if (this.#tenure?.id === id) this.#tenure.lease.lose(reason);
  }

  /** The client closes: calls that wait are refused, and so is whoever would have to wait again. */
  refuseWaiting(): void {
    this.#refusesWaiting = true;
    this.#change(() => {
      for (const waiter of this.#queue) waiter.refuse(new LockClientClosedError(this.name));
    });
  }

  /** Open levels are lost with reason `closed`, and the lock is given back whatever its count. */
  close(): void {
    const tenure = this.#tenure;
    if (tenure === undefined) return;
    this.#change(() => {
      this.#tenure = undefined;
      this.#loseHolds('closed');
      void tenure.cancel();
      for (const { waiter } of this.#arrivals) waiter.refuse(new LockClientClosedError(this.name));
    });
  }

  // ---------------------------------------------------------------- HoldKeeper

  check(): void {
    if (this.#tenure?.held) this.#tenure.lease.check();
  }

  newHoldId(): string {
    return this.#parts.reporter.newHoldId();
  }

  get suspect(): boolean {
    return this.#tenure?.lease.state === 'suspect';
  }

  remainingMs(): number {
    return this.#tenure?.lease.remainingMs() ?? 0;
  }

  release(record: HoldRecord): Promise<void> {
    return this.#change(() => this.#leave(record));
  }

  abandon(record: HoldRecord): void {
    this.#change(() => {
      const { clock, tellings, reporter } = this.#parts;
      if (!record.lose('scope-ended', clock.now())) return;
      tellings.tell(() => record.tellLoss());
      reporter.leftOpen(record, record.lossError());
      if (this.#tenure !== undefined) this.#retune(this.#tenure);
    });
  }

  // ---------------------------------------------------------------- WaiterKeeper

  onExpire(waiter: Waiter): void {
    if (waiter.granted) return;
    // What is known in memory needs no reading.
    if (this.#decideOn(waiter).kind === 'busy') waiter.turnAway('busy');
    else whenRead(this.#parts.nextTurn, () => this.#judge(waiter));
  }

  /** Its time is over, and all that has arrived has been read. */
  #judge(waiter: Waiter): void {
    if (waiter.granted || waiter.settled) return;
    const decision = this.#decideOn(waiter);
    if (decision.kind === 'wait') waiter.expireAt(decision.until);
    else if (decision.kind === 'unavailable')
      waiter.refuse(unavailableError(this.name, decision.silentMs, this.#tenure?.trouble));
    else waiter.turnAway(decision.kind);
  }

  #decideOn({ joinedAt, until, once, enteringSince }: Waiter): TimeoutDecision {
    const { clock, link, settings } = this.#parts;
    const tenure = this.#tenure;
    return decideAtTimeout(
      {
        now: clock.now(),
        joinedAt,
        until,
        once,
        enteringSince,
        heldHere: this.#holds.length > 0,
        busyAt: this.#busyAt,
        unansweredSince: tenure?.unansweredSince,
        setback: tenure?.setback === true,
        reach: link.reachOf(this.keys.lock),
      },
      settings,
    );
  }

  onLeave(waiter: Waiter, answer: 'busy' | { error: unknown }): void {
    const { reporter } = this.#parts;
    this.#change(() => {
      if (answer === 'busy') reporter.busy(waiter.request);
      else reporter.failed(waiter.request, answer.error);
      if (this.#queue.remove(waiter)) this.#giveUpUnlessWanted();
    });
  }

  // ---------------------------------------------------------------- TenureListener

  bid(now: number): Bid {
    const leaseMs = this.#queue.first?.request.terms.leaseMs ?? this.#parts.settings.claimLeaseMs;
    return { leaseMs, patienceMs: Math.max(0, this.#queue.until - now) };
  }

  get terms(): LeaseTerms | undefined {
    const first = this.#queue.first;
    return first && leaseTermsOf(first.request.terms, this.#parts.clock);
  }

  onHeld(tenure: Tenure, how: 'asked' | 'granted'): void {
    this.#change(() => {
      const first = this.#queue.first;
      if (first === undefined) {
        this.#tenure = undefined;
        void tenure.giveBack(this.#parts.clock.now(), () => undefined);
        return;
      }
      this.#enter(tenure, first, how);
      this.#turnAwayThoseWhoAskedOnce(Number.POSITIVE_INFINITY);
    });
  }

  onBusy(tenure: Tenure, askedAt: number, owner: 'holdfast' | 'foreign'): void {
    this.#change(() => {
      this.#busyAt = this.#parts.clock.now();
      if (owner === 'foreign' && !this.#parts.wakeup.blind && ++this.#foreignSeen === 2)
        this.#parts.reporter.foreignOwner(this.name);
      this.#turnAwayThoseWhoAskedOnce(askedAt);
      if (this.#tenure === tenure && this.#queue.hasOnce) tenure.ask();
    });
  }

  onFailed(tenure: Tenure, failure: Failure | { kind: 'over' }): void {
    this.#change(() => {
      this.#tenure = undefined;
      if (failure.kind === 'over') tenure.forget();
      else {
        void tenure.cancel();
        for (const waiter of this.#queue) waiter.refuse(failureError(this.name, failure));
      }
      this.#contest();
    });
  }

  onLost(tenure: Tenure, reason: LockLostReason): void {
    void tenure.cancel();
    if (this.#tenure !== tenure) return;
    this.#change(() => {
      this.#tenure = undefined;
      this.#loseHolds(reason);
      this.#refuseThoseInside();
      // Before the line contests: who was on its way in came first.
      for (const arrival of this.#arrivals) this.#bounce(arrival);
      this.#contest();
    });
  }

  onSuspect(tenure: Tenure): void {
    // What nobody can rely on any more is nobody's worry.
    const relied = this.#holds.find((record) => record.renewable);
    if (this.#tenure === tenure && relied !== undefined) this.#parts.reporter.suspect(relied);
  }

  // ---------------------------------------------------------------- entering

  get #innermost(): HoldRecord | undefined {
    return this.#holds.at(-1);
  }

  /** The innermost level changed: those who descend from it need not wait any longer, nor those who descend from their levels. */
  #admitDescendants(): void {
    for (let next = this.#firstInside; next !== undefined; next = this.#firstInside) this.#reenter(next);
  }

  get #firstInside(): Waiter | undefined {
    const innermost = this.#innermost;
    return innermost && this.#queue.firstInside(innermost);
  }

  #reenter(waiter: Waiter): void {
    const { limits } = this.#parts;
    if (limits.depthReached(this.#holds.length)) {
      waiter.refuse(limits.reached(this.name, 'depth'));
      return;
    }
    const tenure = this.#tenure as Tenure;
    const arrival = this.#begin(waiter, 're-entered');
    waiter.enteringSince = this.#parts.clock.now();
    arrival.record.adopt(waiter.request.homeOnReentry);
    const { mode, leaseMs } = waiter.request.terms;
    this.#retune(tenure);
    void tenure.countUp(mode === 'fixed' ? leaseMs : 0).then((outcome) => {
      this.#change(() => this.#entered(tenure, arrival, outcome));
    });
  }

  /** The tenure is held by nobody in this process: the level is open at once. */
  #enter(tenure: Tenure, waiter: Waiter, how: 'asked' | 'granted' | 'local'): void {
    const arrival = this.#begin(waiter, how);
    // Any other has just begun on the terms of this call.
    if (how === 'local') this.#retune(tenure);
    this.#open(arrival, waiter.request.home);
  }

  /** The call is inside a hold of this lock, and waits for nothing but another branch of it. */
  #holdsFor(request: AcquireRequest): boolean {
    return this.#holds.some((record) => mayReenter(request, record));
  }

  /** The level indexEntries in its place from now on, so that nobody else gets in. */
  #begin(waiter: Waiter, how: AcquiredHow): Arrival {
    this.#queue.remove(waiter);
    const record = new HoldRecord(this, waiter.request);
    const arrival = { waiter, record, how };
    this.#arrivals = withLast(this.#arrivals, arrival);
    this.#holds = withLast(this.#holds, record);
    return arrival;
  }

  /** The lock was lost before the call got it. A new owner just goes on waiting; a nested call must never acquire afresh. */
  #bounce(arrival: Arrival): void {
    const { waiter, record, how } = arrival;
    this.#arrived(arrival);
    record.close();
    if (how === 're-entered') waiter.refuse(record.lossError());
    if (this.#refusesWaiting) waiter.refuse(new LockClientClosedError(this.name));
    if (!waiter.settled) {
      waiter.waitOn(this.#parts.clock.now(), this.#parts.settings);
      this.#queue.putBack(waiter);
      this.#contest();
    }
  }

  /** The waiter has its level, or will not get it. */
  #arrived(arrival: Arrival): void {
    this.#arrivals = without(this.#arrivals, arrival);
  }

  /** Redis has answered for a level that was entering. */
  #entered(tenure: Tenure, arrival: Arrival, outcome: HeldOutcome): void {
    // The lease may also have ended before the answer came.
    if (outcome.kind === 'lost') tenure.lease.lose('deleted');
    // Lost meanwhile, and the call was sent back.
    if (!this.#arrivals.includes(arrival)) return;
    const { waiter, record, how } = arrival;
    if (outcome.kind === 'held' && this.#tenure === tenure) {
      this.#open(arrival, how === 'passed' ? waiter.request.home : record.home);
      return;
    }
    if (outcome.kind === 'lost' || outcome.kind === 'held' || record.lost) {
      this.#bounce(arrival);
      return;
    }
    this.#remove(record);
    this.#arrived(arrival);
    waiter.refuse(failureError(this.name, outcome));
    // The count is as it was; whoever waits goes on.
    if (this.#holds.length > 0) this.#admitDescendants();
    else this.#vacateAfterAll(tenure, record);
  }

  #open(arrival: Arrival, home: HoldRecord['home']): void {
    // A look at the lease on the way here may have found it over, and sent the call back.
    if (!this.#arrivals.includes(arrival)) return;
    arrival.waiter.granted = true;
    const deliver = () => this.#change(() => this.#deliver(arrival, home));
    if (arrival.how === 'local') this.#parts.turns.take(deliver);
    else deliver();
  }

  #deliver(arrival: Arrival, home: HoldRecord['home']): void {
    const { waiter, record, how } = arrival;
    // Looked at first: it may be this look that finds the lease over, and sends the call back.
    const { lost } = record;
    if (!this.#arrivals.includes(arrival)) return;
    if (lost) {
      this.#bounce(arrival);
      return;
    }
    this.#arrived(arrival);
    if (waiter.settled) {
      // Answered meanwhile: nobody may hold on its behalf.
      void record.release().catch(() => undefined);
      return;
    }
    const now = this.#parts.clock.now();
    record.open(now, home);
    waiter.give(record);
    this.#parts.reporter.acquired(record, now - waiter.joinedAt, how);
    this.#parts.longHoldWatch?.opened(now);
    // Who is inside it could not be known before: only now it belongs to a scope.
    this.#admitDescendants();
  }

  // ---------------------------------------------------------------- leaving

  #leave(record: HoldRecord): Promise<void> {
    // Without a tenure no level is open.
    const tenure = this.#tenure as Tenure;
    this.#remove(record);
    const now = this.#parts.clock.now();
    if (record.given) this.#parts.reporter.released(record, now - record.since);
    return this.#holds.length === 0 ? this.#vacate(tenure, record, now) : this.#countDown(tenure, record);
  }

  /** A level has gone, and not the last one. */
  async #countDown(tenure: Tenure, record: HoldRecord): Promise<void> {
    const counted = tenure.countDown();
    this.#retune(tenure);
    this.#admitDescendants();
    void counted.then((outcome) => {
      this.#change(() => this.#countedDown(tenure, record, outcome));
    });
    const outcome = await within(counted, tenure, this.#parts);
    if (outcome.kind === 'lost') throw this.#lostOnTheWayOut(record, tenure.whyLost('deleted'));
    if (outcome.kind === 'held' || outcome.kind === 'released') return;
    if (this.#tenure !== tenure)
      throw this.#lostOnTheWayOut(record, tenure.whyLost(this.#refusesWaiting ? 'closed' : 'unreachable'));
    throw failureError(this.name, outcome);
  }

  #countedDown(tenure: Tenure, record: HoldRecord, outcome: CountedDown): void {
    if (this.#tenure !== tenure) return;
    const { length } = this.#holds;
    // Redis must count the levels that are here, and does not.
    if (outcome.kind === 'lost' || (outcome.kind === 'released' && length > 0)) tenure.lease.lose('deleted');
    else if (outcome.kind === 'released') {
      this.#tenure = undefined;
      tenure.forget();
      this.#freed(this.#parts.clock.now());
    } else if (length === 0) this.#vacateAfterAll(tenure, record);
  }

  /** A level further in, which was on its way when those around it were released, was refused. */
  #vacateAfterAll(tenure: Tenure, last: HoldRecord): void {
    // Else whoever counts down now sees to it.
    if (this.#tenure === tenure && tenure.settled)
      void this.#vacate(tenure, last, this.#parts.clock.now()).catch(() => undefined);
  }

  /** The last level has gone. */
  #vacate(tenure: Tenure, last: HoldRecord, now: number): Promise<void> {
    const next = this.#queue.first;
    const passes = next !== undefined && next.request.owner === last.owner && mayPassOn(tenure, this.#parts);
    // The rule looks at the lease, and may be the first to see that it is over.
    if (this.#tenure !== tenure) return Promise.reject(this.#lostOnTheWayOut(last, tenure.whyLost('expired')));
    return passes ? this.#pass(tenure, last, next) : this.#giveBack(tenure, last, now);
  }

  /** To the next call of this process. */
  #pass(tenure: Tenure, last: HoldRecord, next: Waiter): Promise<void> {
    tenure.handoffs++;
    const { terms } = next.request;
    const watched = terms.mode === 'watched' && last.terms.mode === 'watched';
    // The notice that somebody waits may be lost, or forbidden: now and then the script that passes the lock on tells too.
    if (!watched || !tenure.toldOfOthersWithin(terms.leaseMs / 3)) return this.#passByScript(tenure, last, next);
    this.#enter(tenure, next, 'local');
    return done;
  }

  async #passByScript(tenure: Tenure, last: HoldRecord, next: Waiter): Promise<void> {
    const arrival = this.#begin(next, 'passed');
    next.enteringSince = this.#parts.clock.now();
    const passing = tenure.passOn(leaseTermsOf(next.request.terms, this.#parts.clock));
    void passing.then((outcome) => {
      this.#change(() => this.#entered(tenure, arrival, outcome));
    });
    const outcome = await within(passing, tenure, this.#parts);
    if (outcome.kind === 'held') return;
    // Not lost, but no longer ours: the client was closed meanwhile.
    if (outcome.kind === 'lost' || this.#tenure !== tenure) throw this.#lostOnTheWayOut(last, tenure.whyLost('closed'));
    throw failureError(this.name, outcome);
  }

  #giveBack(tenure: Tenure, last: HoldRecord, now: number): Promise<void> {
    this.#tenure = undefined;
    const returned = tenure.giveBack(now, (outcome) => {
      if (outcome.kind === 'unheld') return this.#lostOnTheWayOut(last, tenure.whyLost('deleted'));
      return outcome.kind === 'released' ? undefined : failureError(this.name, outcome);
    });
    this.#freed(now);
    return returned;
  }

  #freed(now: number): void {
    // A call whose time is over before the line has asked again: the lock was busy until now, with us.
    this.#busyAt = now;
    // Without a pause it is sent right behind the release on the same connection: the line loses no round trip.
    this.#contest(pauseMs(this.keys.lock, this.#parts));
  }

  /** The hold which has just been given up was gone before, or went meanwhile. */
  #lostOnTheWayOut(record: HoldRecord, reason: LockLostReason): LockLostError {
    const error = new LockLostError(this.name, reason);
    this.#parts.reporter.lost(record, error);
    return error;
  }

  #remove(record: HoldRecord): void {
    this.#holds = without(this.#holds, record);
    record.close();
  }

  /** All of them are lost before anybody is told, and all signals abort before anything else is told. */
  #loseHolds(reason: LockLostReason): void {
    const { clock, tellings, reporter, unreported } = this.#parts;
    const holds = this.#holds;
    const now = clock.now();
    this.#holds = none;
    const had = holds.filter((record) => record.lose(reason, now));
    for (const record of had)
      if (record.imperative && record.owner !== undefined) unreported.add(this.name, record.owner, record);
    for (const record of holds) tellings.tell(() => record.tellLoss());
    for (const record of had) reporter.lost(record, record.lossError());
  }

  // ---------------------------------------------------------------- the line

  #contest(afterMs = 0): void {
    const first = this.#queue.first;
    if (first === undefined) return;
    if (this.#tenure === undefined) {
      const terms = leaseTermsOf(first.request.terms, this.#parts.clock);
      this.#tenure = new Tenure(this.#parts, this.keys, first.request.owner, terms, this);
      if (afterMs === 0) this.#tenure.ask();
      else this.#tenure.askAt(this.#parts.clock.now() + afterMs);
    } else if (this.#queue.hasOnce) {
      this.#tenure.ask();
    }
  }

  /** Those who asked for one attempt, before `askedAt`, have their answer: the lock is busy. */
  #turnAwayThoseWhoAskedOnce(askedAt: number): void {
    if (!this.#queue.hasOnce) return;
    for (const waiter of this.#queue) if (waiter.once && waiter.joinedAt <= askedAt) waiter.turnAway('busy');
  }

  /** Calls that wait inside a hold that has just been lost: they must never acquire afresh. */
  #refuseThoseInside(): void {
    for (const waiter of this.#queue) {
      const lost = lostAround(waiter.request);
      if (lost !== undefined) waiter.refuse(lost.lossError());
    }
  }

  #giveUpUnlessWanted(): void {
    const tenure = this.#tenure;
    if (this.#queue.size > 0 || tenure === undefined || tenure.held) return;
    this.#tenure = undefined;
    void tenure.cancel();
  }

  async #refuse(request: AcquireRequest, error: unknown): Promise<never> {
    this.#parts.reporter.failed(request, error);
    throw error;
  }

  // ---------------------------------------------------------------- changing

  /**
   * Whatever changes the coordinator does it in here. When its outermost change is complete, a coordinator of which nothing is left is dismissed, and
   * only then users are told what happened: what they call finds the coordinator at rest, or another one.
   */
  #change<T>(work: () => T): T {
    const { tellings } = this.#parts;
    this.#changes++;
    tellings.hold();
    try {
      return work();
    } finally {
      // Counted here: this change may run inside one of another lock, which looks after itself only.
      if (--this.#changes === 0 && this.#isIdle) this.#dismiss();
      tellings.release();
    }
  }

  get #isIdle(): boolean {
    return (
      this.#tenure === undefined && this.#queue.size === 0 && this.#arrivals.length === 0 && this.#holds.length === 0
    );
  }

  #dismiss(): void {
    this.#selfWait?.stop();
    this.#onIdle(this);
  }

  // ---------------------------------------------------------------- small parts

  #retune(tenure: Tenure): void {
    const terms = commonTerms(this.#holds, this.#parts.clock);
    if (terms === undefined) tenure.lease.runOut();
    else tenure.retune(terms);
  }
}
