/**
 * The ask loop: asks for a lock until there is an answer. It is the part of a tenure that waits.
 *
 *      ask -> in flight -> owned: done
 *       ^         |------> free, but behind places of waiters that have gone: ask again at once, as long as they get fewer
 *       |         |------> busy or in the queue: listen, and ask again after R, when the PTTL has passed, or on a gap
 *       |         |------> refused, no connection any more: failed
 *       +---------+
 *
 * At most one ask is under way; a wish to ask meanwhile is carried out after the answer. The ticket of the queue is sent with every ask: a waiter that was skipped
 * comes back to its place. A waiter on a held lock asks once every R, in one command with those for other locks that are due then; see `ask-rounds.ts`.
 */

import type { Command } from '@holdfast/core';
import type { ClientParts } from '../client-parts.js';
import type { Answer, AnswerListener, Request, RequestOptions, RequestSource } from '../connection/pending-command.js';
import { MAX_TIME_MS } from '../options.js';
import type { AskSubject } from './ask-subject.js';
import type { Cancellable } from './ask-rounds.js';
import type { Demand } from './demand.js';
import type { Inherited } from './inherited.js';
import type { AskReply, Contention, Owned } from './operations.js';
import type { StakeListener } from './stake.js';
import type { WakeupSubscription } from './wakeup.js';

function isOwned(reply: AskReply): reply is Owned {
  return reply.kind === 'acquired' || reply.kind === 'mine';
}

/** A waiter may be granted for 3 × `reaskMs` + `claimLeaseMs` after its last ask (docs/fair-lock.md). */
const FRESH_REASKS = 3;

/** A holder gives a lease up that much before its end in Redis, at most; one that is longer than half a minute earlier still. */
const GIVEN_UP_BEFORE_MS = 310;

const withoutReplicas: RequestOptions<AskReply> = { inLastingTrouble: 'give up' };

/** See the module comment. */
export class AskLoop implements RequestSource<AskReply>, AnswerListener<AskReply> {
  readonly #parts: ClientParts;
  readonly #subject: AskSubject;
  readonly #subscription: WakeupSubscription;
  readonly #listener: Pick<StakeListener, 'onPlace'>;
  #demand: Demand;
  #request: Request<AskReply> | undefined;
  /** An ask that was given up: the answer to its last copy may still come. */
  #givenUp: Request<AskReply> | undefined;
  #askedAt: number | undefined;
  /** The lease that was asked for last. */
  #askedMs = 0;
  #ticket = 0;
  #reached = false;
  #again = false;
  /** How many were before us when we asked for a lock that is free; infinite when it is not. */
  #ahead = Infinity;
  #next: Cancellable | undefined;
  /** Clock time until which the place in the queue, if any, may be served. */
  #freshUntil = -Infinity;
  /** Clock time from which the lease that the last answer told of may have run out; undefined when that would be no accident. */
  #seenUntil: number | undefined;
  /** What came with the lock, and when: for the next answer if the lease was over by then; until another owner is seen. */
  #heard: { readonly reason: Inherited['reason']; readonly at: number } | undefined;
  /** The ask under way was made because it was time, and not because of a message. */
  #unprompted = false;
  /** The last ask could take no place in the queue, because no message could have reached us there. */
  #placeless = false;
  #stopped = false;

  constructor(
    parts: ClientParts,
    subject: AskSubject,
    {
      demand,
      subscription,
      listener,
    }: { demand: Demand; subscription: WakeupSubscription; listener: Pick<StakeListener, 'onPlace'> },
  ) {
    this.#parts = parts;
    this.#subject = subject;
    this.#demand = demand;
    this.#subscription = subscription;
    this.#listener = listener;
  }

  /** What is asked for from now on. */
  get demand(): Demand {
    return this.#demand;
  }

  want(demand: Demand): void {
    this.#demand = demand;
    // A grant would be for the lease that stands in the queue, of a call that has gone.
    if (demand.terms.leaseMs !== this.#askedMs && this.#freshUntil > this.#parts.clock.now()) this.ask();
  }

  /** An ask is unanswered now. */
  get underWay(): boolean {
    return this.#request !== undefined;
  }

  /** Clock time since which an ask is unanswered; undefined when none is. */
  get unansweredSince(): number | undefined {
    return this.underWay ? this.#askedAt : undefined;
  }

  /** The server has answered the ask under way that it cannot do it now. */
  get setback(): boolean {
    return this.#request?.setback === true;
  }

  /** Why the ask under way has no answer yet, as far as is known. */
  get trouble(): Error | undefined {
    return this.#request?.trouble;
  }

  /** Redis may know of the tenure: it may stand in the queue or own the lock, or do so later. */
  get reached(): boolean {
    return this.#reached || (this.#request ?? this.#givenUp)?.mayRun === true;
  }

  /** Asks now; while an ask is under way, once more after its answer. */
  ask(why: 'told to' | 'by itself' = 'told to'): void {
    if (this.#stopped) return;
    if (this.#request !== undefined) {
      this.#again = true;
      return;
    }
    this.#next?.cancel();
    this.#next = undefined;
    this.#again = false;
    this.#unprompted = why === 'by itself';
    this.#askedAt = undefined;
    const { replicas: enough } = this.#parts.settings;
    const options = enough ? { ...withoutReplicas, confirmation: { enough, needed: isOwned } } : withoutReplicas;
    this.#request = this.#parts.sender.request(this.#subject.operations.key, this, options);
    // Unless it was sent, it waits for a connection.
    this.#askedAt ??= this.#parts.clock.now();
    this.#request.whenAnswered(this);
  }

  onDoubt(): void {
    this.#reached = true;
    this.#subject.onDoubt();
  }

  /** Asks at a clock time, unless something makes it ask before. */
  askAt(time: number): void {
    this.#next = this.#parts.waits.at(time, () => this.ask());
  }

  /** Asks when the place in the queue would go stale before the next ask, although a call waits until `until`. */
  stayFresh(until: number): void {
    // Without a place in the queue there is none to keep.
    if (!this.#subscription.mayQueue) return;
    if (this.#freshUntil < this.askedAgainBy && until > this.#freshUntil) this.ask();
  }

  /** It has its place in the queue until it asks again, or will have when the ask that was sent is there. */
  get inLine(): boolean {
    // The server could not do what was asked: others come in meanwhile.
    return !this.setback && this.#freshUntil >= this.askedAgainBy;
  }

  private get askedAgainBy(): number {
    return this.#parts.clock.now() + this.#parts.settings.reaskMs;
  }

  /** No more questions. An answer that is still on its way is listened to. */
  stop(): void {
    this.#stopped = true;
    this.#next?.cancel();
    this.#next = undefined;
  }

  /** Stops sending the ask that is under way. */
  drop(): void {
    this.stop();
    this.#request?.drop();
  }

  /** The ask that is sent at clock time `now`. */
  build(now: number): Command<AskReply> {
    this.#askedAt ??= now;
    const { claimLeaseMs, reaskMs } = this.#parts.settings;
    const { terms, patientUntil } = this.#demand;
    const leaseMs = this.#stopped ? Math.min(claimLeaseMs, terms.leaseMs) : terms.leaseMs;
    this.#askedMs = leaseMs;
    this.#subject.onAsk(leaseMs);
    const freshTtlMs = Math.min(FRESH_REASKS * reaskMs + claimLeaseMs, MAX_TIME_MS);
    // One that is sent again behind the grant asks for no place: no call waits for it any more.
    const mayQueue = this.#subscription.mayQueue && !this.#stopped;
    this.#placeless = !mayQueue;
    const freshMs = mayQueue ? Math.min(freshTtlMs, Math.max(0, Math.ceil(patientUntil - now))) : 0;
    if (freshMs > 0 && (!this.reached || this.#freshUntil < now)) this.#listener.onPlace?.();
    this.#freshUntil = freshMs > 0 ? now + freshMs : -Infinity;
    const { operations, id } = this.#subject;
    return operations.ask(id, { leaseMs, freshMs, ticket: this.#ticket, freshTtlMs });
  }

  /** The lock is given to us with this news, perhaps too late. */
  heard({ reason }: Inherited): void {
    this.#heard = { reason, at: this.#parts.clock.now() };
  }

  onAnswer(answer: Answer<AskReply>): void {
    // An ask that was turned away without a place has left nothing to undo, nor has one that was refused whenever it was sent.
    if (answer.kind === 'silent') this.#givenUp = this.#request;
    else if (answer.kind !== 'reply' || answer.reply.kind !== 'busy') this.#reached = this.reached;
    this.#request = undefined;
    if (answer.kind !== 'reply') {
      if (!this.#stopped) this.#subject.onFailed(answer);
      return;
    }
    const { reply, sentAt, node } = answer;
    if ('nowMs' in reply) this.#parts.serverClock.note(node, sentAt, reply.nowMs);
    switch (reply.kind) {
      case 'acquired':
      case 'mine':
        this.owned(reply, sentAt);
        return;
      case 'wait':
        this.#ticket = reply.ticket;
        this.wait(reply, sentAt, reply.position);
        return;
      case 'busy':
        this.wait(reply, sentAt, reply.left);
        return;
      case 'dead':
        if (!this.#stopped) this.#subject.onFailed({ kind: 'over' });
    }
  }

  private owned(reply: Owned, sentAt: number): void {
    // It stood in line, and a message should have come before it was time to ask: it was granted, or found the lock free, whose owner has died or
    // could not reach us. Any other ask may be answered before a message that is on its way, which goes by other servers in a Cluster.
    if (this.#unprompted && !this.#stopped && this.#ticket !== 0)
      this.#subscription.missed(reply.kind === 'mine' ? 'grant' : 'free lock');
    const inherited = this.inheritedBy(reply);
    if (inherited !== undefined) this.heard(inherited);
    this.#subject.onOwned(reply, sentAt, inherited);
  }

  private wait(reply: Omit<Contention, 'nowMs'>, sentAt: number, ahead: number): void {
    // Stopped: the reply was made before the grant that came by message.
    if (this.#stopped) return;
    const { remainingMs, resting } = reply;
    // An answer that is older than the news says nothing of what came behind it.
    if (this.#heard !== undefined && this.#heard.at < sentAt) this.#heard = undefined;
    const isLease = remainingMs !== undefined && remainingMs > 0 && resting !== true;
    this.#seenUntil = isLease ? sentAt + remainingMs - GIVEN_UP_BEFORE_MS : undefined;
    const before = this.#ahead;
    this.#ahead = reply.remainingMs === 0 ? ahead : Infinity;
    // The lock is free, and each ask gets further through the places of waiters that have gone: no call is told that it is busy.
    if (this.#ahead < before) {
      this.ask();
      return;
    }
    if (reply.foreign) this.#parts.wakeup.foreignOwners?.note(this.#subject.operations.key);
    this.#subject.onBusy(sentAt, reply.foreign ? 'foreign' : 'holdfast');
    // The tenure may have lost interest, or asked again.
    if (this.#stopped || this.#request !== undefined) return;
    if (!this.#subscription.open) this.#subscription.listen(() => this.ask());
    // What makes us reachable was confirmed before this answer came, and nothing more will be.
    else if (this.#placeless && this.#subscription.mayQueue) this.#again = true;
    if (this.#again) {
      this.ask();
      return;
    }
    const { clock, random, settings, waits, askRounds } = this.#parts;
    const { reaskMs } = settings;
    const delayMs = this.#subscription.pauseMs({ reaskMs, pttlMs: reply.remainingMs, position: ahead, random });
    // A pause of any other length has its reason to be neither shorter nor longer.
    this.#next = (delayMs === reaskMs ? askRounds : waits).at(clock.now() + delayMs, () => this.ask('by itself'));
  }

  /**
   * Where tenures waited, Redis knows. Elsewhere we do: the lock was held when we asked last, and that lease may have run out since. Then it may
   * as well have been renewed and given back: a needless repair costs less than a missed one. Or the lock was given to us, with the news, and was over
   * before we heard of it.
   */
  private inheritedBy({ kind, inherited }: Owned): Inherited | undefined {
    if (inherited !== undefined) return inherited === 'nothing' ? undefined : inherited;
    if (kind !== 'acquired') return undefined;
    if (this.#heard !== undefined) return { reason: this.#heard.reason };
    const over = this.#seenUntil !== undefined && this.#parts.clock.now() >= this.#seenUntil;
    return over ? { reason: 'expired' } : undefined;
  }
}
