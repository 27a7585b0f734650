/**
 * A tenure: what Redis sees as owner. It exists from the moment this process wants a lock that it neither owns nor is queued for, until it
 * does neither again; local handoff keeps it. Its id is fresh, so nothing that is still on its way from an earlier tenure can act for it.
 *
 *                 acquired, mine, or a grant in time           give back
 *      asking  ------------------------------------>  held  --------------->  ended
 *        |                                              |
 *        |                                              |  lease over or not ours
 *        |                                              v
 *        +--- everybody gave up -> cancel ---------->  ended  -- cancel, until acknowledged
 *
 * Why it is right (protocol.md has the model):
 * - Only a reply, or a grant whose end lies in the future by server time, makes it held. A message alone is never believed longer.
 * - Which grants are believed is the business of {@link MessageTrust}. Everything else that is said only means "look".
 * - The lease is opened before the first ask is sent and ended, synchronously, before the release is sent: nothing is renewed after it.
 * - `dirty` says that a copy of a command may still be on its way. Then the last command leaves a tombstone, which refuses that copy. A
 *   copy of a renewal needs none: it cannot create anything.
 */

import * as core from '@holdfast/core';
import type { InboxListener, InboxMessage } from '@holdfast/notify';
import type { Appointment, Lease, LeaseListener, LeaseTerms } from '@holdfast/watchdog';
import { answered } from '../connection/answered.js';
import type { Answer, Request } from '../connection/flight.js';
import type { LockLostReason } from '../errors.js';
import { MAX_TIME_MS } from '../options.js';
import { AskLoop, type AskListener, type Bid, type Ownership } from './ask-loop.js';
import { NumberedSteps } from './numbered-steps.js';
import type { Failure } from './failures.js';
import { MessageTrust } from './message-trust.js';
import { OtherWaiters } from './other-waiters.js';
import type { ClientParts } from '../client-parts.js';
import type { LeaseSubject } from './renewals.js';
import type { ServerInstant } from './server-clock.js';
import { serveRest } from './serving.js';
import type { WakeupSubscription } from './wakeup.js';

/** Told what becomes of the tenure. */
export interface TenureListener {
  bid(now: number): Bid;
  /** The lease that whoever gets the lock now has asked for. */
  readonly terms: LeaseTerms | undefined;
  onHeld(tenure: Tenure, how: 'asked' | 'granted'): void;
  /** Somebody else owns the lock. `askedAt`: when the question was sent. */
  onBusy(tenure: Tenure, askedAt: number, owner: 'holdfast' | 'foreign'): void;
  /** It will never be held. */
  onFailed(tenure: Tenure, failure: Failure | { kind: 'over' }): void;
  onLost(tenure: Tenure, reason: LockLostReason): void;
  onSuspect(tenure: Tenure): void;
}

/** What an operation on a held tenure came to. */
export type HeldOutcome = { kind: 'held' } | { kind: 'lost' } | Failure;

/** What counting down came to. `released`: it was the last level that Redis knew of. */
export type CountedDown = HeldOutcome | { kind: 'released' };

/** What giving the lock back came to. `unheld`: Redis says it was not ours and nothing of ours explains it. */
export type ReleaseOutcome = { kind: 'released' } | { kind: 'unheld' } | Failure;

/** What to tell the caller of a release, if anything is wrong. */
export type FailureOf = (outcome: ReleaseOutcome) => Error | undefined;

/** How long after the end of the lease a late copy is still refused. */
const TOMBSTONE_TAIL_MS = 60_000;
/**
 * A server tells its time in whole milliseconds, so the time between two of its readings may seem 1 ms longer than it was; another for
 * clocks that differ in rate between two asks. Without it a grant that comes faster than that would be asked about.
 */
const CLOCK_GRAIN_MS = 2;

/** See the module comment. */
export class Tenure implements LeaseSubject, LeaseListener, InboxListener, AskListener {
  readonly id: string;
  readonly lease: Lease<LeaseSubject>;
  readonly keys: core.LockKeys;
  /** How often it has been passed on inside the process. */
  handoffs = 0;
  readonly #parts: ClientParts;
  readonly #listener: TenureListener;
  readonly #subscription: WakeupSubscription;
  /** Undefined when it has its answer: what is held for long need not remember how it was asked for. */
  #asking: AskLoop | undefined;
  readonly #steps = new NumberedSteps();
  /** The counted operation on its way. */
  #request: Request<unknown> | undefined;
  #state: 'asking' | 'held' | 'ended' = 'asking';
  #dirty = false;
  readonly #otherWaiters = new OtherWaiters();
  /** Undefined while nothing has been said to it and nobody else can have heard its id. */
  #messageTrust: MessageTrust | undefined;
  #heldSince = 0;
  #loss: LockLostReason | undefined;
  /** It is being given back, and inner levels that were released before it have yet to be counted down. */
  #leaving = false;
  /** Longest lease ever asked for: no lease of this tenure can outlast it by more than a claim. */
  #longestLeaseMs: number;

  constructor(
    parts: ClientParts,
    keys: core.LockKeys,
    owner: string | undefined,
    terms: LeaseTerms,
    listener: TenureListener,
  ) {
    this.#parts = parts;
    this.#listener = listener;
    this.keys = keys;
    this.id = parts.tenureId(owner);
    this.#longestLeaseMs = terms.leaseMs;
    this.lease = parts.watchdog.open(this, terms, this);
    this.#subscription = parts.wakeup.subscribe(keys, this.id, this);
    this.#asking = new AskLoop(parts, keys, this.id, this.#subscription, this);
  }

  get held(): boolean {
    return this.#state === 'held';
  }

  /** How many other processes are known to wait. */
  get others(): number {
    return this.#otherWaiters.count;
  }

  /** Clock time since which it is held. */
  get heldSince(): number {
    return this.#heldSince;
  }

  /** No counted operation is under way. */
  get settled(): boolean {
    return this.#steps.settled;
  }

  /** Whether Redis has said within the last `ageMs` how many others wait. */
  toldOfOthersWithin(ageMs: number): boolean {
    return this.#otherWaiters.countedSince(this.#parts.clock.now() - ageMs);
  }

  // ---------------------------------------------------------------- asking

  /** Asks Redis for the lock, now or right after the answer it is waiting for. */
  ask(): void {
    if (this.#state === 'asking') this.#asking?.ask();
  }

  /** Asks at a clock time; only to begin with. */
  askAt(time: number): void {
    this.#asking?.askAt(time);
  }

  /** Clock time since which Redis owes it an answer; undefined when it does not. */
  get unansweredSince(): number | undefined {
    return this.#asking?.unansweredSince;
  }

  /** The server has answered the command under way that it cannot do it now. */
  get setback(): boolean {
    return this.#asking?.setback === true || this.#request?.setback === true;
  }

  /** Why there is no answer to the command under way yet, as far as is known. */
  get trouble(): Error | undefined {
    return this.#asking?.trouble ?? this.#request?.trouble;
  }

  /** A call has joined those that wait, until then at the latest: the place in the queue must not go stale before. */
  stayFresh(until: number): void {
    if (this.#state === 'asking') this.#asking?.stayFresh(until);
  }

  bid(now: number): Bid {
    // It queues although nothing reaches it: what is said to it now, others may hear.
    if (this.#subscription.mayQueue && !this.#subscription.open) this.#heard.expose();
    const bid = this.#listener.bid(now);
    this.#longestLeaseMs = Math.max(this.#longestLeaseMs, bid.leaseMs);
    return bid;
  }

  onOwned(reply: Ownership, sentAt: number): void {
    if (this.#state === 'held') {
      // The grant was faster than the reply.
      this.lease.witness(sentAt, reply.remainingMs);
    } else if (this.#state === 'asking') {
      this.#otherWaiters.counted(reply.others, sentAt);
      if (reply.kind === 'mine' && !this.#messageTrust?.granted) this.#subscription.missed();
      this.#adoptTerms();
      if (!this.lease.begin(sentAt, reply.remainingMs)) {
        this.ask();
        return;
      }
      this.#becomeHeld('asked');
      // The message may have overtaken this reply.
      if (this.#messageTrust?.forcedSince(sentAt)) this.#look();
    }
  }

  onBusy(askedAt: number, owner: 'holdfast' | 'foreign'): void {
    this.#listener.onBusy(this, askedAt, owner);
  }

  onFailed(failure: Failure | { kind: 'over' }): void {
    this.#listener.onFailed(this, failure);
  }

  onDoubt(): void {
    this.#dirty = true;
  }

  // ---------------------------------------------------------------- what the inbox tells

  onGap(): void {
    if (!this.#subscription.open) this.#heard.expose();
    this.ask();
  }

  onMessage(message: InboxMessage): void {
    switch (message.kind) {
      case 'grant':
        this.#granted(message, message.others);
        return;
      case 'contended':
        this.#otherWaiters.noticed(this.#parts.clock.now());
        return;
      case 'lost':
        this.#heard.force(this.#parts.clock.now());
        this.#look();
        return;
      case 'look':
        // One that names nobody may be news for who waits, and for nobody else.
        if (this.#state !== 'asking' && message.tenure === undefined) return;
        // From a version that is newer: that somebody waits, or that the lock was taken away.
        if (this.#state === 'held') this.#otherWaiters.noticed(this.#parts.clock.now());
        this.#look();
    }
  }

  get #heard(): MessageTrust {
    return (this.#messageTrust ??= new MessageTrust(this.#parts.settings.reaskMs));
  }

  /** A message has said something of which only Redis can be believed. */
  #look(): void {
    if (!this.#heard.mayLook(this.#parts.clock.now())) return;
    if (this.#state === 'held') this.lease.question();
    else this.ask();
  }

  #granted(lease: ServerInstant, others: number): void {
    if (this.#state !== 'asking') return;
    const { serverClock, link, clock, settings } = this.#parts;
    const deadline = serverClock.toLocal(link.nodeOf(this.keys.lock), lease);
    this.#adoptTerms();
    // A grant lasts for a claim. One that says it lasts longer may be forged, or comes from a client with other settings: the reply decides.
    const credible = deadline !== undefined && deadline - clock.now() <= settings.claimLeaseMs + CLOCK_GRAIN_MS;
    const believed = this.#heard.grant() && credible;
    // Only an ask has the grant confirmed by replicas.
    if (settings.replicas !== undefined || !believed || !this.lease.beginUntil(deadline)) {
      this.#look();
      return;
    }
    this.#otherWaiters.counted(others, clock.now());
    this.#becomeHeld('granted');
  }

  /** The call that asked may have given up since, and the next one wants another lease. */
  #adoptTerms(): void {
    const { terms } = this.#listener;
    if (terms !== undefined) this.retune(terms);
  }

  #becomeHeld(how: 'asked' | 'granted'): void {
    this.#state = 'held';
    this.#heldSince = this.#parts.clock.now();
    this.#asking?.stop();
    if (!this.#asksStill) this.#asking = undefined;
    this.#listener.onHeld(this, how);
  }

  // ---------------------------------------------------------------- what the lease tells

  onLost(reason: string): void {
    this.#loss = this.whyLost(reason as LockLostReason);
    this.#listener.onLost(this, this.#loss);
  }

  /** Why it was lost; `found`, when nothing more is known. Redis can only say that the lock is not ours any more, a message may have said why. */
  whyLost(found: LockLostReason): LockLostReason {
    if (this.#loss !== undefined) return this.#loss;
    const { clock, settings } = this.#parts;
    const forced = this.#messageTrust?.forcedSince(clock.now() - settings.responseTimeoutMs);
    return forced && (found === 'deleted' || found === 'taken') ? 'force-unlocked' : found;
  }

  onSuspect(): void {
    this.#listener.onSuspect(this);
  }

  onHeld(): void {
    // Nobody was told to do anything when it became suspect.
  }

  // ---------------------------------------------------------------- held

  /** Levels came or went: what the lease is renewed to from now on. */
  retune(terms: LeaseTerms): void {
    this.#longestLeaseMs = Math.max(this.#longestLeaseMs, terms.leaseMs);
    this.lease.retune(terms);
  }

  /** Counts one level up. Lasts until it is answered or the tenure is over: the count must be known. */
  countUp(leaseMs: number): Promise<HeldOutcome> {
    return this.#whileHeld(async (seq) => {
      const answer = await this.#send(() => core.again(this.keys, { tenure: this.id, seq, leaseMs }));
      if (answer.kind !== 'reply') return answer;
      if (answer.reply.kind === 'lost') return answer.reply;
      if (answer.reply.remainingMs !== undefined) this.lease.confirm(answer.sentAt, answer.reply.remainingMs);
      return { kind: 'held' };
    });
  }

  /** Counts one level down: not the last one, unless Redis has refused those further in. */
  countDown(): Promise<CountedDown> {
    return this.#whileHeld<CountedDown>(async (seq) => {
      const answer = await this.#send(() => this.#releaseCommand(seq));
      if (answer.kind !== 'reply') return answer;
      const { kind } = answer.reply;
      if (kind === 'held') return { kind };
      return { kind: kind === 'notHeld' ? 'lost' : 'released' };
    });
  }

  /** Gives the tenure, which must have count 1, a new lease for the next hold of this process. */
  passOn(terms: LeaseTerms): Promise<HeldOutcome> {
    this.#longestLeaseMs = Math.max(this.#longestLeaseMs, terms.leaseMs);
    return this.#whileHeld(async (seq) => {
      const { leaseMs } = terms;
      const answer = await this.#send(() => core.handoff(this.keys, { tenure: this.id, seq, leaseMs }));
      if (answer.kind !== 'reply') return answer;
      const { reply, sentAt, node } = answer;
      if (reply.kind === 'lost') return reply;
      this.#parts.serverClock.note(node, sentAt, reply.nowMs);
      this.#otherWaiters.counted(reply.others, sentAt);
      this.lease.retune(terms, sentAt, reply.remainingMs);
      return { kind: 'held' };
    });
  }

  #whileHeld<O = HeldOutcome>(operation: (seq: number) => Promise<O>): Promise<O | { kind: 'lost' }> {
    return this.#steps.run<O | { kind: 'lost' }>((seq) =>
      this.held || this.#leaving ? operation(seq) : Promise.resolve({ kind: 'lost' }),
    );
  }

  #send<R>(build: () => core.Command<R>): Promise<Answer<R>> {
    const request = this.#parts.wire.request(this.keys.lock, build, { onDoubt: () => this.onDoubt() });
    this.#request = request;
    return new Promise((resolve) => request.whenAnswered(resolve));
  }

  // ---------------------------------------------------------------- completion

  /** Gives the lock back; rejects with what `failure` makes of it. In any case nothing is renewed or believed from this call on. */
  giveBack(now: number, failure: FailureOf): Promise<void> {
    const { deadline } = this.lease;
    const until = now + this.#parts.settings.responseTimeoutMs;
    this.#end();
    const left = this.#steps.settled ? undefined : this.#leaveBy(until);
    const ended = this.#steps.last((seq) => this.#release(seq, until, deadline, failure));
    return left === undefined ? ended : ended.finally(() => left.cancel());
  }

  /** A counted operation that is never answered must not hold up the release for longer than a release may take. */
  #leaveBy(until: number): Appointment {
    this.#leaving = true;
    return this.#parts.waits.at(until, () => {
      this.#leaving = false;
      this.#request?.drop();
    });
  }

  #release(seq: number, until: number, deadline: number, failure: FailureOf): Promise<void> {
    const { clock, wire } = this.#parts;
    let sentTwice = false;
    const onDoubt = () => {
      sentTwice = true;
      this.onDoubt();
    };
    const request = wire.request(this.keys.lock, () => this.#releaseCommand(seq), { until, onDoubt });
    const outcomeOf = (answer: Answer<core.ReleaseReply>): ReleaseOutcome => {
      // Held: a step of a level further in was refused, so the count is not what it was taken for. Nobody holds any of it now.
      if (answer.kind !== 'reply' || answer.reply.kind === 'held') {
        void this.cancel();
        return answer.kind === 'reply' ? { kind: 'released' } : answer;
      }
      this.#subscription.close();
      if (answer.reply.kind === 'released') void serveRest(this.#parts, this.keys, answer.reply.left);
      if (answer.reply.kind !== 'notHeld') return { kind: 'released' };
      // A first copy of this very release may have run, its reply lost with the connection; but not if the lease can have ended since.
      return sentTwice && clock.now() < deadline ? { kind: 'released' } : { kind: 'unheld' };
    };
    return answered(request, (answer) => failure(outcomeOf(answer)));
  }

  /**
   * Leaves the queue, passes on a grant that crossed, undoes whatever an unanswered ask may still do. Lasts until it is acknowledged or
   * nothing can be left to undo: a lease has run out by itself. One whose ask a connection may still deliver can begin later: see `goOnMs`.
   */
  async cancel(): Promise<void> {
    if (this.#asksStill) this.onDoubt();
    this.#end();
    this.#asking?.drop();
    this.#request?.drop();
    if (this.#asking?.reached ?? true) {
      const { claimLeaseMs } = this.#parts.settings;
      const leasesOver = this.#parts.clock.now() + Math.max(this.#longestLeaseMs, claimLeaseMs) + claimLeaseMs;
      const lasts = this.#asking?.adrift ? { goOnMs: this.#longestLeaseMs + TOMBSTONE_TAIL_MS } : { until: leasesOver };
      const onDoubt = () => this.onDoubt();
      const answer = await this.#parts.wire.answer(this.keys.lock, () => this.#cancelCommand(), {
        ...lasts,
        onDoubt,
      });
      if (answer.kind === 'reply') void serveRest(this.#parts, this.keys, answer.reply.left);
    }
    this.#subscription.close();
  }

  /** Redis has refused it for good, or it is counted down to nothing: there is nothing to undo. */
  forget(): void {
    this.#end();
    this.#subscription.close();
  }

  #end(): void {
    this.#state = 'ended';
    this.lease.end();
    this.#asking?.stop();
  }

  /** An ask is unanswered now. */
  get #asksStill(): boolean {
    return this.#asking?.underWay === true;
  }

  /** 0 when nothing of this tenure can still be on its way. An ask that is unanswered now can be lost with its connection and sent again. */
  #tombstoneMs(): number {
    const dirty = this.#dirty || this.#asksStill;
    return dirty ? Math.min(this.#longestLeaseMs + TOMBSTONE_TAIL_MS, MAX_TIME_MS) : 0;
  }

  #releaseCommand(seq: number): core.Command<core.ReleaseReply> {
    return core.release(this.keys, {
      tenure: this.id,
      seq,
      tombstoneMs: this.#tombstoneMs(),
      claimMs: this.#parts.settings.claimLeaseMs,
      trust: this.#parts.link.trustsReceivers,
    });
  }

  #cancelCommand(): core.Command<core.CancelReply> {
    return core.cancel(this.keys, {
      tenure: this.id,
      tombstoneMs: this.#tombstoneMs(),
      claimMs: this.#parts.settings.claimLeaseMs,
      trust: this.#parts.link.trustsReceivers,
    });
  }
}
