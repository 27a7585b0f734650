/**
 * A tenure: what Redis sees as owner. It exists from the moment this process wants a lock that it neither owns nor is queued for, until it does
 * neither again; local handoff keeps it. Its id is fresh, so nothing that is still on its way from an earlier tenure can act for it.
 *                 acquired, mine, or a grant in time           give back
 *      asking  ------------------------------------>  held  --------------->  ended
 *        |                                              v  lease over or not ours
 *        +--- all calls gave up -> cancel ---------->  ended  -- cancel, until acknowledged
 *
 * Its parts: {@link AskLoop} while it asks, {@link HoldSteps} while it is held, {@link TenureMessages} for what it hears meanwhile, and the lease.
 * Why it is right (spec/queue.pml is the model):
 * - Only a reply, or a grant whose end lies in the future by server time, makes it held. A message alone is never believed longer.
 * - The lease is opened before the first ask is sent and ended, synchronously, before the release is sent: nothing is renewed after it.
 * - `dirty`: a copy of a command may still be on its way. Then the last command leaves a tombstone, which refuses it; a copy of a renewal creates nothing.
 */

import type { Lease, LeaseListener, LeaseTerms } from '@holdfast/watchdog';
import type { ClientParts } from '../client-parts.js';
import type { Answer } from '../connection/pending-command.js';
import type { LockLostReason } from '../errors.js';
import { AskLoop } from './ask-loop.js';
import type { AskSubject } from './ask-subject.js';
import { type AskedMs, suits, withAnswer, withGrant } from './asked-lease.js';
import type { Bequest, FailureOf, ReleaseOutcome, Stake, StakeListener } from './stake.js';
import type { Demand } from './demand.js';
import type { Failure } from './failures.js';
import { FencingTokens } from './fence.js';
import type { Inherited } from './inherited.js';
import { HoldSteps, type StepSubject } from './hold-steps.js';
import { type HoldTerms, leaseTermsOf } from './hold-terms.js';
import type { SentStep } from './last-step.js';
import { barredForMs, undoingAt } from './late-copies.js';
import { type GrantNews, type MessageSubject, TenureMessages } from './messages.js';
import type { Operations, Owned, ReleaseReply, TenureEnd } from './operations.js';
import { OtherWaiters } from './other-waiters.js';
import type { LeaseSubject } from './renewals.js';
import { serveRest, withdraw } from './serving.js';
import type { WakeupSubscription } from './wakeup.js';

/** See the module comment. */
export class Tenure implements Stake, LeaseSubject, LeaseListener, MessageSubject, StepSubject, AskSubject {
  readonly id: string;
  readonly operations: Operations;
  readonly lease: Lease<LeaseSubject>;
  handoffs = 0;
  refusal: Error | undefined;
  turn: number | undefined;
  heldSince = 0;
  readonly otherWaiters = new OtherWaiters();
  readonly tokens: FencingTokens | undefined;
  readonly #parts: ClientParts;
  readonly #listener: StakeListener;
  readonly #messages: TenureMessages;
  readonly #subscription: WakeupSubscription;
  /** Made when it is asked for: most locks that are held have made no step. */
  #steps: HoldSteps | undefined;
  /** Undefined when it has its answer: what is held for long need not remember how it was asked for. */
  #askLoop: AskLoop | undefined;
  #state: 'asking' | 'held' | 'ended' = 'asking';
  #loss: LockLostReason | undefined;
  #askedMs: AskedMs;
  /** A copy of a command may still be on its way, for good. */
  #dirty = false;
  /** No lease of this tenure can outlast it by more than a claim. */
  #longestLeaseMs: number;

  constructor(
    parts: ClientParts,
    operations: Operations,
    { owner, demand }: { owner: string | undefined; demand: Demand },
    listener: StakeListener,
  ) {
    const terms = leaseTermsOf(demand.terms, parts.clock);
    this.#parts = parts;
    this.#listener = listener;
    this.operations = operations;
    this.tokens = operations.tokenSpan === undefined ? undefined : new FencingTokens(operations.tokenSpan);
    this.id = parts.tenureId(owner);
    this.#longestLeaseMs = terms.leaseMs;
    this.lease = parts.watchdog.open(this, terms, this);
    this.#messages = new TenureMessages(parts, this);
    this.#subscription = parts.wakeup.subscribe(operations, this.id, this.#messages);
    this.#askLoop = new AskLoop(parts, this, { demand, subscription: this.#subscription, listener });
  }

  get steps(): HoldSteps {
    return (this.#steps ??= new HoldSteps(this.#parts, this));
  }

  get asking(): boolean {
    return this.#state === 'asking';
  }

  get held(): boolean {
    return this.#state === 'held';
  }

  /** It asks, and stands in the queue in Redis. */
  get inLine(): boolean {
    return this.asking && this.#askLoop?.inLine === true;
  }

  want(demand: Demand): void {
    this.#askLoop?.want(demand);
  }

  ask(): void {
    if (this.asking) this.#askLoop?.ask();
  }

  askAt(time: number): void {
    this.#askLoop?.askAt(time);
  }

  get unansweredSince(): number | undefined {
    return this.#askLoop?.unansweredSince;
  }

  get resentSince(): number | undefined {
    return this.#dirty ? this.unansweredSince : undefined;
  }

  get setback(): boolean {
    return this.#askLoop?.setback === true || this.#steps?.setback === true;
  }

  get trouble(): Error | undefined {
    return this.#askLoop?.trouble ?? this.#steps?.trouble;
  }

  stayFresh(until: number): void {
    if (this.asking) this.#askLoop?.stayFresh(until);
  }

  onAsk(leaseMs: number): void {
    this.#askedMs = leaseMs;
    // It queues although no message can reach it: what is said to it now, other clients may hear.
    if (this.#subscription.mayQueue && !this.reachable) this.#messages.expose();
    this.asksFor(leaseMs);
  }

  asksFor(leaseMs: number): void {
    this.#longestLeaseMs = Math.max(this.#longestLeaseMs, leaseMs);
  }

  onOwned(reply: Owned, sentAt: number, inherited: Inherited | undefined): void {
    if (this.held) {
      // The grant was faster than the reply. If that found the lock free, what had been granted was over by then, and others may have held it.
      if (reply.kind === 'acquired') this.lease.lose('deleted');
      else this.lease.witness(sentAt, reply.remainingMs);
    } else if (this.asking) {
      this.otherWaiters.counted(reply.others, sentAt);
      this.#askedMs = withAnswer(this.#askedMs, reply);
      this.adoptTerms();
      if (!this.lease.begin(sentAt, reply.remainingMs)) return this.ask();
      if (reply.token !== undefined) this.tokens?.begin(reply.token);
      this.becomeHeld('asked', inherited);
      // The message may have overtaken this reply.
      if (this.#messages.forcedSince(sentAt)) this.#messages.look();
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

  get reachable(): boolean {
    return this.#subscription.open;
  }

  beginUntil(deadline: number | undefined, { others, token, inherited, turn }: GrantNews): boolean {
    if (inherited !== undefined) this.#askLoop?.heard(inherited);
    // A releaser that knows of no tokens has granted it: the answer to an ask brings one.
    if (deadline === undefined || (this.tokens !== undefined && token === undefined)) return false;
    this.adoptTerms();
    if (!this.lease.beginUntil(deadline)) return false;
    this.otherWaiters.counted(others, this.#parts.clock.now());
    this.#askedMs = withGrant(this.#askedMs, deadline - this.#parts.clock.now(), this.#askLoop?.demand);
    if (token !== undefined) this.tokens?.begin(token);
    this.turn = turn;
    this.#parts.wakeup.deaf = false;
    this.becomeHeld('granted', inherited);
    return true;
  }

  contended(): void {
    this.otherWaiters.noticed(this.#parts.clock.now());
    this.#listener.onContended?.();
  }

  verify(): void {
    this.lease.question();
  }

  suits({ leaseMs }: HoldTerms, how: 'asked' | 'granted'): boolean {
    return suits(this.#askedMs, leaseMs, how);
  }

  /** The call that asked may have given up since, and the next one wants another lease. */
  private adoptTerms(): void {
    if (this.#askLoop !== undefined) this.retune(leaseTermsOf(this.#askLoop.demand.terms, this.#parts.clock));
  }

  private becomeHeld(how: 'asked' | 'granted', inherited: Inherited | undefined): void {
    this.#state = 'held';
    this.heldSince = this.#parts.clock.now();
    this.#askLoop?.stop();
    if (!this.#askLoop?.underWay) this.#askLoop = undefined;
    this.#listener.onHeld(this, how, inherited);
  }

  onLost(reason: string): void {
    this.#loss = this.whyLost(reason as LockLostReason);
    this.#listener.onLost(this, this.#loss);
  }

  /** Why it was lost; `found`, when nothing more is known. Redis can only say that the lock is not ours any more, a message may have said why. */
  whyLost(found: LockLostReason): LockLostReason {
    const { clock, settings } = this.#parts;
    const forced = this.#messages.forcedSince(clock.now() - settings.responseTimeoutMs);
    return this.#loss ?? (forced && (found === 'deleted' || found === 'taken') ? 'force-unlocked' : found);
  }

  onSuspect(): void {
    this.#listener.onSuspect(this);
  }

  retune(terms: LeaseTerms): void {
    this.asksFor(terms.leaseMs);
    this.lease.retune(terms);
  }

  giveBack(now: number, failure: FailureOf, bequest: Bequest = {}): Promise<void> {
    const { deadline } = this.lease;
    this.end();
    const judge = (answer: Answer<ReleaseReply>, sentTwice: boolean) =>
      failure(this.released(answer, { sentTwice, deadline, restUntil: bequest.restUntil }));
    return this.steps.giveBack({ until: now + this.#parts.settings.responseTimeoutMs, ...bequest }, judge);
  }

  private released(answer: Answer<ReleaseReply>, { sentTwice, deadline, restUntil = 0 }: SentStep): ReleaseOutcome {
    // Held: a step of a hold further in was refused, so the count is not what it was taken for. No call has any hold of it now.
    if (answer.kind !== 'reply' || answer.reply.kind === 'held') {
      void this.cancel('released', restUntil);
      return answer.kind === 'reply' ? { kind: 'released' } : answer;
    }
    this.#subscription.close();
    if ('left' in answer.reply) serveRest(this.#parts, this.operations, answer.reply.left);
    if (answer.reply.kind !== 'notHeld') return { kind: 'released' };
    // A first copy of this very release may have run, its reply lost: not if the lease can have ended since, or the lock would rest now.
    const now = this.#parts.clock.now();
    return sentTwice && now < deadline && now >= restUntil ? { kind: 'released' } : { kind: 'unheld' };
  }

  /** Leaves the queue, passes on a grant that crossed, undoes what an unanswered ask may still do, for as long as {@link undoingAt} says. */
  async cancel(end: TenureEnd = 'unused', restUntil?: number): Promise<ReleaseOutcome> {
    let outcome: ReleaseOutcome = { kind: 'unheld' };
    if (this.#askLoop?.underWay) this.onDoubt();
    this.end();
    this.#askLoop?.drop();
    this.#steps?.drop();
    const isMoot = () => this.#askLoop?.reached === false;
    if (!isMoot()) {
      const { settings, clock, recentReleases } = this.#parts;
      const leases = { longestMs: this.#longestLeaseMs, claimMs: settings.claimLeaseMs };
      const release = this.steps.withdrawal(end, restUntil);
      const undoing = undoingAt(clock.now(), { inDoubt: this.#dirty }, leases);
      const answer = await withdraw(this.#parts, release, this, { ...undoing, isMoot });
      if (answer.kind === 'refused') recentReleases.refused({ ...release, tombstoneMs: this.tombstoneMs() });
      if (answer.kind === 'reply') recentReleases.note(release, answer.sentAt);
      else if (!isMoot()) outcome = answer;
    }
    this.#subscription.close();
    return outcome;
  }

  /** Redis has refused it for good, or it is counted down to nothing: there is nothing to undo. */
  forget(): void {
    this.end();
    this.#subscription.close();
  }

  private end(): void {
    this.#state = 'ended';
    this.lease.end();
    this.#askLoop?.stop();
  }

  /** 0 when nothing of this tenure can still be on its way. An ask that is unanswered now can be lost with its connection and sent again. */
  tombstoneMs(): number {
    return this.#dirty || this.#askLoop?.underWay ? barredForMs(this.#longestLeaseMs) : 0;
  }
}
