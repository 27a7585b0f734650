/**
 * The monitor: everything one client does about one lock name.
 *
 * It owns three things: the *levels* that are open (innermost last), the *line* of calls that wait, and at most one *tenure*, the part that
 * Redis sees. Only the monitor talks to the tenure; the line waits in memory, so Redis sees processes and not tasks.
 *
 *      line     tenure    levels     what happens next
 *      any      none      none       a contender arrives: a new tenure asks
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
import type { ScopedLevel } from '../scope.js';
import type { Bid } from './asking.js';
import { type AcquireRequest, Contender, type ContenderKeeper } from './contender.js';
import { type Failure, failureError, unavailableError } from './failures.js';
import { mayPassOn, pauseMs } from './handoff-rule.js';
import { Level, type LevelKeeper } from './level.js';
import { Line } from './line.js';
import type { Parts } from './parts.js';
import { type Verdict, verdictAtExpiry } from './patience.js';
import { lostAround, mayReenter } from './reentry.js';
import { SelfWait } from './self-wait.js';
import { type CountedDown, type HeldOutcome, Tenure, type TenureListener } from './tenure.js';
import { commonTerms, leaseTermsOf } from './terms.js';
import { within } from './within.js';
import { none, withLast, without } from '../lists.js';

/** One for all: a promise for each handoff in memory would be most of its cost. */
const done: Promise<void> = Promise.resolve();

/** A level on its way to a call, which is neither in the line nor done. */
interface Arrival {
  readonly contender: Contender;
  readonly level: Level;
  readonly how: AcquiredHow;
}

/** See the module comment. */
export class Monitor implements LevelKeeper, ContenderKeeper, TenureListener {
  readonly name: string;
  readonly keys: LockKeys;
  readonly #parts: Parts;
  readonly #onIdle: (monitor: Monitor) => void;
  /** Innermost last. */
  #levels: readonly Level[] = none;
  readonly #line: Line;
  #arrivals: readonly Arrival[] = none;
  #selfWait: SelfWait | undefined;
  #tenure: Tenure | undefined;
  /** Clock time of the last proof that the lock was busy, if there was any. */
  #busyAt: number | undefined;
  #foreignSeen = 0;
  #refusesWaiting = false;
  /** Changes of this monitor under way, inside each other. */
  #changes = 0;

  constructor(keys: LockKeys, parts: Parts, onIdle: (monitor: Monitor) => void) {
    this.name = keys.name;
    this.keys = keys;
    this.#parts = parts;
    this.#onIdle = onIdle;
    this.#line = new Line(parts.limits);
  }

  // ---------------------------------------------------------------- what callers do

  /**
   * Resolves with what the request's ending makes of a level, or of `busy` when the lock was that for as long as it was willing to wait.
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
    const contender = new Contender(request, this.#parts, this);
    if (mayReenter(contender.request, this.#innermost)) {
      this.#reenter(contender);
    } else if (this.#refusesWaiting) {
      contender.refuse(new LockClientClosedError(this.name));
    } else if (contender.once && this.#levels.length > 0) {
      contender.turnAway('busy');
    } else if (this.#parts.limits.waitersReached && !this.#holdsFor(request)) {
      contender.refuse(this.#parts.limits.reached(this.name, 'waiters'));
    } else {
      const asking = this.#tenure;
      this.#line.add(contender);
      this.#contest();
      // One that is new has just asked.
      if (!contender.once) asking?.stayFresh(contender.until);
      if (!contender.settled && this.#levels.length > 0)
        (this.#selfWait ??= new SelfWait(this, this.#line, this.#parts)).watch(contender);
    }
    return contender.promise;
  }

  /** The tenure id under which `level` is held. */
  tenureIdOf(level: ScopedLevel): string | undefined {
    return this.#levels.some((open) => open === level) ? this.#tenure?.id : undefined;
  }

  /** What is held under a tenure id, innermost last. */
  heldUnder(id: string): readonly Level[] {
    return this.#tenure?.id === id ? this.#levels : none;
  }

  /** The open levels, innermost last. */
  get levels(): readonly Level[] {
    return this.#levels;
  }

  /** The calls that wait, first come first. */
  get line(): Iterable<Contender> {
    return this.#line;
  }

  /** Redis has answered that tenure `id` was forced out. */
  forced(id: string): void {
    if (this.#tenure?.id === id) this.#tenure.lease.lose('force-unlocked');
  }

  /** The client closes: calls that wait are refused, and so is whoever would have to wait again. */
  refuseWaiting(): void {
    this.#refusesWaiting = true;
    this.#change(() => {
      for (const contender of this.#line) contender.refuse(new LockClientClosedError(this.name));
    });
  }

  /** Open levels are lost with reason `closed`, and the lock is given back whatever its count. */
  close(): void {
    const tenure = this.#tenure;
    if (tenure === undefined) return;
    this.#change(() => {
      this.#tenure = undefined;
      this.#loseLevels('closed');
      void tenure.cancel();
      for (const { contender } of this.#arrivals) contender.refuse(new LockClientClosedError(this.name));
    });
  }

  // ---------------------------------------------------------------- LevelKeeper

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

  release(level: Level): Promise<void> {
    return this.#change(() => this.#leave(level));
  }

  abandon(level: Level): void {
    this.#change(() => {
      const { clock, tellings, reporter } = this.#parts;
      if (!level.lose('scope-ended', clock.now())) return;
      tellings.tell(() => level.tellLoss());
      reporter.leftOpen(level, level.lossError());
      if (this.#tenure !== undefined) this.#retune(this.#tenure);
    });
  }

  // ---------------------------------------------------------------- ContenderKeeper

  onExpire(contender: Contender): void {
    if (contender.granted) return;
    // What is known in memory needs no reading.
    if (this.#verdictOn(contender).kind === 'busy') contender.turnAway('busy');
    else whenRead(this.#parts.nextTurn, () => this.#judge(contender));
  }

  /** Its time is over, and all that has arrived has been read. */
  #judge(contender: Contender): void {
    if (contender.granted || contender.settled) return;
    const verdict = this.#verdictOn(contender);
    if (verdict.kind === 'wait') contender.expireAt(verdict.until);
    else if (verdict.kind === 'unavailable')
      contender.refuse(unavailableError(this.name, verdict.silentMs, this.#tenure?.trouble));
    else contender.turnAway(verdict.kind);
  }

  #verdictOn({ joinedAt, until, once, enteringSince }: Contender): Verdict {
    const { clock, link, settings } = this.#parts;
    const tenure = this.#tenure;
    return verdictAtExpiry(
      {
        now: clock.now(),
        joinedAt,
        until,
        once,
        enteringSince,
        heldHere: this.#levels.length > 0,
        busyAt: this.#busyAt,
        unansweredSince: tenure?.unansweredSince,
        setback: tenure?.setback === true,
        reach: link.reachOf(this.keys.lock),
      },
      settings,
    );
  }

  onLeave(contender: Contender, answer: 'busy' | { error: unknown }): void {
    const { reporter } = this.#parts;
    this.#change(() => {
      if (answer === 'busy') reporter.busy(contender.request);
      else reporter.failed(contender.request, answer.error);
      if (this.#line.remove(contender)) this.#giveUpUnlessWanted();
    });
  }

  // ---------------------------------------------------------------- TenureListener

  bid(now: number): Bid {
    const leaseMs = this.#line.first?.request.terms.leaseMs ?? this.#parts.settings.claimLeaseMs;
    return { leaseMs, patienceMs: Math.max(0, this.#line.until - now) };
  }

  get terms(): LeaseTerms | undefined {
    const first = this.#line.first;
    return first && leaseTermsOf(first.request.terms, this.#parts.clock);
  }

  onHeld(tenure: Tenure, how: 'asked' | 'granted'): void {
    this.#change(() => {
      const first = this.#line.first;
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
      if (this.#tenure === tenure && this.#line.hasOnce) tenure.ask();
    });
  }

  onFailed(tenure: Tenure, failure: Failure | { kind: 'over' }): void {
    this.#change(() => {
      this.#tenure = undefined;
      if (failure.kind === 'over') tenure.forget();
      else {
        void tenure.cancel();
        for (const contender of this.#line) contender.refuse(failureError(this.name, failure));
      }
      this.#contest();
    });
  }

  onLost(tenure: Tenure, reason: LockLostReason): void {
    void tenure.cancel();
    if (this.#tenure !== tenure) return;
    this.#change(() => {
      this.#tenure = undefined;
      this.#loseLevels(reason);
      this.#refuseThoseInside();
      // Before the line contests: who was on its way in came first.
      for (const arrival of this.#arrivals) this.#bounce(arrival);
      this.#contest();
    });
  }

  onSuspect(tenure: Tenure): void {
    // What nobody can rely on any more is nobody's worry.
    const relied = this.#levels.find((level) => level.renewable);
    if (this.#tenure === tenure && relied !== undefined) this.#parts.reporter.suspect(relied);
  }

  // ---------------------------------------------------------------- entering

  get #innermost(): Level | undefined {
    return this.#levels.at(-1);
  }

  /** The innermost level changed: those who descend from it need not wait any longer, nor those who descend from their levels. */
  #admitDescendants(): void {
    for (let next = this.#firstInside; next !== undefined; next = this.#firstInside) this.#reenter(next);
  }

  get #firstInside(): Contender | undefined {
    const innermost = this.#innermost;
    return innermost && this.#line.firstInside(innermost);
  }

  #reenter(contender: Contender): void {
    const { limits } = this.#parts;
    if (limits.depthReached(this.#levels.length)) {
      contender.refuse(limits.reached(this.name, 'depth'));
      return;
    }
    const tenure = this.#tenure as Tenure;
    const arrival = this.#begin(contender, 're-entered');
    contender.enteringSince = this.#parts.clock.now();
    arrival.level.adopt(contender.request.homeOnReentry);
    const { mode, leaseMs } = contender.request.terms;
    this.#retune(tenure);
    void tenure.countUp(mode === 'fixed' ? leaseMs : 0).then((outcome) => {
      this.#change(() => this.#entered(tenure, arrival, outcome));
    });
  }

  /** The tenure is held by nobody in this process: the level is open at once. */
  #enter(tenure: Tenure, contender: Contender, how: 'asked' | 'granted' | 'local'): void {
    const arrival = this.#begin(contender, how);
    // Any other has just begun on the terms of this call.
    if (how === 'local') this.#retune(tenure);
    this.#open(arrival, contender.request.home);
  }

  /** The call is inside a hold of this lock, and waits for nothing but another branch of it. */
  #holdsFor(request: AcquireRequest): boolean {
    return this.#levels.some((level) => mayReenter(request, level));
  }

  /** The level stands in its place from now on, so that nobody else gets in. */
  #begin(contender: Contender, how: AcquiredHow): Arrival {
    this.#line.remove(contender);
    const level = new Level(this, contender.request);
    const arrival = { contender, level, how };
    this.#arrivals = withLast(this.#arrivals, arrival);
    this.#levels = withLast(this.#levels, level);
    return arrival;
  }

  /** The lock was lost before the call got it. A new owner just goes on waiting; a nested call must never acquire afresh. */
  #bounce(arrival: Arrival): void {
    const { contender, level, how } = arrival;
    this.#arrived(arrival);
    level.close();
    if (how === 're-entered') contender.refuse(level.lossError());
    if (this.#refusesWaiting) contender.refuse(new LockClientClosedError(this.name));
    if (!contender.settled) {
      contender.waitOn(this.#parts.clock.now(), this.#parts.settings);
      this.#line.putBack(contender);
      this.#contest();
    }
  }

  /** The contender has its level, or will not get it. */
  #arrived(arrival: Arrival): void {
    this.#arrivals = without(this.#arrivals, arrival);
  }

  /** Redis has answered for a level that was entering. */
  #entered(tenure: Tenure, arrival: Arrival, outcome: HeldOutcome): void {
    // The lease may also have ended before the answer came.
    if (outcome.kind === 'lost') tenure.lease.lose('deleted');
    // Lost meanwhile, and the call was sent back.
    if (!this.#arrivals.includes(arrival)) return;
    const { contender, level, how } = arrival;
    if (outcome.kind === 'held' && this.#tenure === tenure) {
      this.#open(arrival, how === 'passed' ? contender.request.home : level.home);
      return;
    }
    if (outcome.kind === 'lost' || outcome.kind === 'held' || level.lost) {
      this.#bounce(arrival);
      return;
    }
    this.#remove(level);
    this.#arrived(arrival);
    contender.refuse(failureError(this.name, outcome));
    // The count is as it was; whoever waits goes on.
    if (this.#levels.length > 0) this.#admitDescendants();
    else this.#vacateAfterAll(tenure, level);
  }

  #open(arrival: Arrival, home: Level['home']): void {
    // A look at the lease on the way here may have found it over, and sent the call back.
    if (!this.#arrivals.includes(arrival)) return;
    arrival.contender.granted = true;
    const deliver = () => this.#change(() => this.#deliver(arrival, home));
    if (arrival.how === 'local') this.#parts.turns.take(deliver);
    else deliver();
  }

  #deliver(arrival: Arrival, home: Level['home']): void {
    const { contender, level, how } = arrival;
    // Looked at first: it may be this look that finds the lease over, and sends the call back.
    const { lost } = level;
    if (!this.#arrivals.includes(arrival)) return;
    if (lost) {
      this.#bounce(arrival);
      return;
    }
    this.#arrived(arrival);
    if (contender.settled) {
      // Answered meanwhile: nobody may hold on its behalf.
      void level.release().catch(() => undefined);
      return;
    }
    const now = this.#parts.clock.now();
    level.open(now, home);
    contender.give(level);
    this.#parts.reporter.acquired(level, now - contender.joinedAt, how);
    this.#parts.heldWatch?.opened(now);
    // Who is inside it could not be known before: only now it belongs to a scope.
    this.#admitDescendants();
  }

  // ---------------------------------------------------------------- leaving

  #leave(level: Level): Promise<void> {
    // Without a tenure no level is open.
    const tenure = this.#tenure as Tenure;
    this.#remove(level);
    const now = this.#parts.clock.now();
    if (level.given) this.#parts.reporter.released(level, now - level.since);
    return this.#levels.length === 0 ? this.#vacate(tenure, level, now) : this.#countDown(tenure, level);
  }

  /** A level has gone, and not the last one. */
  async #countDown(tenure: Tenure, level: Level): Promise<void> {
    const counted = tenure.countDown();
    this.#retune(tenure);
    this.#admitDescendants();
    void counted.then((outcome) => {
      this.#change(() => this.#countedDown(tenure, level, outcome));
    });
    const outcome = await within(counted, tenure, this.#parts);
    if (outcome.kind === 'lost') throw this.#lostOnTheWayOut(level, tenure.whyLost('deleted'));
    if (outcome.kind === 'held' || outcome.kind === 'released') return;
    if (this.#tenure !== tenure)
      throw this.#lostOnTheWayOut(level, tenure.whyLost(this.#refusesWaiting ? 'closed' : 'unreachable'));
    throw failureError(this.name, outcome);
  }

  #countedDown(tenure: Tenure, level: Level, outcome: CountedDown): void {
    if (this.#tenure !== tenure) return;
    const { length } = this.#levels;
    // Redis must count the levels that are here, and does not.
    if (outcome.kind === 'lost' || (outcome.kind === 'released' && length > 0)) tenure.lease.lose('deleted');
    else if (outcome.kind === 'released') {
      this.#tenure = undefined;
      tenure.forget();
      this.#freed(this.#parts.clock.now());
    } else if (length === 0) this.#vacateAfterAll(tenure, level);
  }

  /** A level further in, which was on its way when those around it were released, was refused. */
  #vacateAfterAll(tenure: Tenure, last: Level): void {
    // Else whoever counts down now sees to it.
    if (this.#tenure === tenure && tenure.settled)
      void this.#vacate(tenure, last, this.#parts.clock.now()).catch(() => undefined);
  }

  /** The last level has gone. */
  #vacate(tenure: Tenure, last: Level, now: number): Promise<void> {
    const next = this.#line.first;
    const passes = next !== undefined && next.request.owner === last.owner && mayPassOn(tenure, this.#parts);
    // The rule looks at the lease, and may be the first to see that it is over.
    if (this.#tenure !== tenure) return Promise.reject(this.#lostOnTheWayOut(last, tenure.whyLost('expired')));
    return passes ? this.#pass(tenure, last, next) : this.#giveBack(tenure, last, now);
  }

  /** To the next call of this process. */
  #pass(tenure: Tenure, last: Level, next: Contender): Promise<void> {
    tenure.handoffs++;
    const { terms } = next.request;
    const watched = terms.mode === 'watched' && last.terms.mode === 'watched';
    // The notice that somebody waits may be lost, or forbidden: now and then the script that passes the lock on tells too.
    if (!watched || !tenure.toldOfOthersWithin(terms.leaseMs / 3)) return this.#passByScript(tenure, last, next);
    this.#enter(tenure, next, 'local');
    return done;
  }

  async #passByScript(tenure: Tenure, last: Level, next: Contender): Promise<void> {
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

  #giveBack(tenure: Tenure, last: Level, now: number): Promise<void> {
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
  #lostOnTheWayOut(level: Level, reason: LockLostReason): LockLostError {
    const error = new LockLostError(this.name, reason);
    this.#parts.reporter.lost(level, error);
    return error;
  }

  #remove(level: Level): void {
    this.#levels = without(this.#levels, level);
    level.close();
  }

  /** All of them are lost before anybody is told, and all signals abort before anything else is told. */
  #loseLevels(reason: LockLostReason): void {
    const { clock, tellings, reporter, untold } = this.#parts;
    const levels = this.#levels;
    const now = clock.now();
    this.#levels = none;
    const had = levels.filter((level) => level.lose(reason, now));
    for (const level of had)
      if (level.imperative && level.owner !== undefined) untold.add(this.name, level.owner, level);
    for (const level of levels) tellings.tell(() => level.tellLoss());
    for (const level of had) reporter.lost(level, level.lossError());
  }

  // ---------------------------------------------------------------- the line

  #contest(afterMs = 0): void {
    const first = this.#line.first;
    if (first === undefined) return;
    if (this.#tenure === undefined) {
      const terms = leaseTermsOf(first.request.terms, this.#parts.clock);
      this.#tenure = new Tenure(this.#parts, this.keys, first.request.owner, terms, this);
      if (afterMs === 0) this.#tenure.ask();
      else this.#tenure.askAt(this.#parts.clock.now() + afterMs);
    } else if (this.#line.hasOnce) {
      this.#tenure.ask();
    }
  }

  /** Those who asked for one attempt, before `askedAt`, have their answer: the lock is busy. */
  #turnAwayThoseWhoAskedOnce(askedAt: number): void {
    if (!this.#line.hasOnce) return;
    for (const contender of this.#line) if (contender.once && contender.joinedAt <= askedAt) contender.turnAway('busy');
  }

  /** Calls that wait inside a hold that has just been lost: they must never acquire afresh. */
  #refuseThoseInside(): void {
    for (const contender of this.#line) {
      const lost = lostAround(contender.request);
      if (lost !== undefined) contender.refuse(lost.lossError());
    }
  }

  #giveUpUnlessWanted(): void {
    const tenure = this.#tenure;
    if (this.#line.size > 0 || tenure === undefined || tenure.held) return;
    this.#tenure = undefined;
    void tenure.cancel();
  }

  async #refuse(request: AcquireRequest, error: unknown): Promise<never> {
    this.#parts.reporter.failed(request, error);
    throw error;
  }

  // ---------------------------------------------------------------- changing

  /**
   * Whatever changes the monitor does it in here. When its outermost change is complete, a monitor of which nothing is left is dismissed, and
   * only then users are told what happened: what they call finds the monitor at rest, or another one.
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
      this.#tenure === undefined && this.#line.size === 0 && this.#arrivals.length === 0 && this.#levels.length === 0
    );
  }

  #dismiss(): void {
    this.#selfWait?.stop();
    this.#onIdle(this);
  }

  // ---------------------------------------------------------------- small parts

  #retune(tenure: Tenure): void {
    const terms = commonTerms(this.#levels, this.#parts.clock);
    if (terms === undefined) tenure.lease.runOut();
    else tenure.retune(terms);
  }
}
