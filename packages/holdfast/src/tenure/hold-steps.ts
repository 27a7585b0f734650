/**
 * The steps of a held tenure that change its hold count or its lease by number: again, handoff, release.
 *
 * Each has the next sequence number and keeps it when it is sent again, so that a copy changes nothing. They run one after the other: the
 * server remembers the last number only, and would take a copy of an older one for done.
 */

import type { Command } from '@holdfast/core';
import type { Appointment, Lease } from '@holdfast/watchdog';
import type { ClientParts } from '../client-parts.js';
import type { ReplicaTerms } from '../connection/connection.js';
import type { Answer, Request } from '../connection/pending-command.js';
import type { Failure } from './failures.js';
import type { FencingTokens } from './fence.js';
import { type EndingTenure, endOf, type FailureOfAnswer, LastStep } from './last-step.js';
import type { HandoffReply, TenureEnd } from './operations.js';
import type { OtherWaiters } from './other-waiters.js';
import type { Release } from './recent-releases.js';
import { serveRest } from './serving.js';
import { type SoleRenewal, soleRenewal } from './sole-renewal.js';
import { type Bequest, type CountedDown, gone, type HeldOutcome } from './stake.js';

/** How a lock is given back. */
export interface GiveBackTerms extends Bequest {
  /** Clock time; for so long it is tried. */
  readonly until: number;
}

/** The tenure whose steps these are. */
export interface StepSubject extends EndingTenure {
  readonly lease: Pick<Lease<unknown>, 'confirm' | 'remainingMs' | 'restart'>;
  readonly otherWaiters: OtherWaiters;
  readonly tokens: FencingTokens | undefined;
  readonly held: boolean;
  /** A lease of `leaseMs` is asked for. */
  asksFor(leaseMs: number): void;
}

function isRaised({ outcome }: SoleRenewal): boolean {
  return outcome.kind !== 'lost';
}

/** See the module comment. */
export class HoldSteps {
  readonly #parts: ClientParts;
  readonly #tenure: StepSubject;
  /** The grant was number 1. */
  #seq = 1;
  /** How many holds Redis knows of beside the first. */
  #further = 0;
  #last: Promise<unknown> | undefined;
  /** The step on its way. */
  #request: Request<unknown> | undefined;
  /** How many raises are unanswered. */
  #raises = 0;
  /** The tenure is being given back, and inner holds that were released before it have yet to be counted down. */
  #leaving = false;

  constructor(parts: ClientParts, tenure: StepSubject) {
    this.#parts = parts;
    this.#tenure = tenure;
  }

  /** No step is under way. */
  get settled(): boolean {
    return this.#last === undefined;
  }

  get raising(): boolean {
    return this.#raises > 0;
  }

  /** The server has answered the step under way that it cannot do it now. */
  get setback(): boolean {
    return this.#request?.setback === true;
  }

  /** Why the step under way has no answer yet, as far as is known. */
  get trouble(): Error | undefined {
    return this.#request?.trouble;
  }

  /** What undoes all of them. */
  withdrawal(end: TenureEnd, restUntil: number | undefined): Release {
    const { id, operations } = this.#tenure;
    return { operations, id, seq: this.#seq + 1, restUntil, end };
  }

  /** Stops sending the step under way. */
  drop(): void {
    this.#request?.drop();
  }

  /** Counts one hold up. Lasts until it is answered or the tenure is over: the count must be known. */
  countUp(leaseMs: number): Promise<HeldOutcome> {
    const { id, operations, lease } = this.#tenure;
    if (operations.countsHere && leaseMs <= lease.remainingMs()) return this.here();
    this.#tenure.asksFor(leaseMs);
    return this.whileHeld(async (seq) => {
      const answer = await this.send(() => operations.again(id, { seq, leaseMs }));
      if (answer.kind !== 'reply') return answer;
      if (answer.reply.kind === 'lost') return gone;
      this.#further++;
      if (answer.reply.remainingMs !== undefined) lease.confirm(answer.sentAt, answer.reply.remainingMs, leaseMs);
      return { kind: 'held' };
    });
  }

  /** What is counted in this process alone needs no answer. */
  private async here(): Promise<HeldOutcome> {
    return this.#tenure.held ? { kind: 'held' } : gone;
  }

  /** A step that only this primitive has: it changes what the tenure is, and tells what is left of its lease. */
  change(build: () => Command<HandoffReply>): Promise<HeldOutcome> {
    return this.pass(build, ({ remainingMs }, sentAt) => {
      if (remainingMs !== undefined) this.#tenure.lease.confirm(sentAt, remainingMs);
    });
  }

  /** Counts one hold down: not the last one, unless Redis has refused those further in. Then the lock rests until `restUntil`, if that is given. */
  countDown(restUntil?: number): Promise<CountedDown> {
    if (this.#tenure.operations.countsHere) return this.here();
    return this.whileHeld<CountedDown>(async (seq) => {
      const bequest = this.#further > 0 ? {} : { restUntil };
      const answer = await this.send((now) => endOf(this.#tenure, seq, bequest, now));
      if (answer.kind !== 'reply') return answer;
      const { reply } = answer;
      if ('left' in reply) serveRest(this.#parts, this.#tenure.operations, reply.left);
      if (reply.kind !== 'held') return reply.kind === 'notHeld' ? gone : { kind: 'released' };
      this.#further--;
      return { kind: 'held' };
    });
  }

  /** Gives the tenure, which must have count 1, a new lease for the next hold of this process. */
  passOn(leaseMs: number, retune: () => void): Promise<HeldOutcome> {
    return this.handoff(leaseMs, retune, (token) => this.#tenure.tokens?.begin(token));
  }

  /** As {@link passOn}, for the same hold as before: it keeps its fencing token, and those that the server mints are used by nobody. */
  restart(leaseMs: number, retune: () => void): Promise<HeldOutcome> {
    return this.handoff(leaseMs, retune, () => undefined);
  }

  /** `retune` when it is done, and not with terms from before: other holds may have come or gone meanwhile. */
  private handoff(leaseMs: number, retune: () => void, onToken: (token: number) => void): Promise<HeldOutcome> {
    const { id, operations, lease } = this.#tenure;
    this.#tenure.asksFor(leaseMs);
    const build = (seq: number) => operations.handoff(id, { seq, leaseMs });
    return this.pass(build, ({ token, remainingMs }, sentAt) => {
      if (token !== undefined) onToken(token);
      retune();
      if (remainingMs !== undefined) lease.restart(sentAt, remainingMs);
    });
  }

  /** A step whose answer tells of the lease and of other waiters; `heed`: what it comes to for this one. */
  private pass(
    build: (seq: number) => Command<HandoffReply>,
    heed: (reply: Extract<HandoffReply, { kind: 'passed' }>, sentAt: number) => void,
  ): Promise<HeldOutcome> {
    return this.whileHeld(async (seq) => {
      const answer = await this.send(() => build(seq));
      if (answer.kind !== 'reply') return answer;
      const { reply, sentAt, node } = answer;
      if (reply.kind === 'lost') return gone;
      this.#parts.serverClock.note(node, sentAt, reply.nowMs);
      this.#tenure.otherWaiters.counted(reply.others, sentAt);
      heed(reply, sentAt);
      return { kind: 'held' };
    });
  }

  /**
   * Raises the lease to at least `leaseMs` from now; its terms go on. It is no step and has no number: a copy of it can only raise the
   * lease again, and only while the tenure has the lock. `enough`: replicas that have to confirm it.
   */
  async raise(leaseMs: number, enough?: ReplicaTerms): Promise<HeldOutcome> {
    const { id, operations, lease } = this.#tenure;
    const { clock, settings, sender, serverClock } = this.#parts;
    this.#tenure.asksFor(leaseMs);
    const command = () => soleRenewal(operations.renew([{ key: operations.key, tenure: id, leaseMs }]));
    const confirmation = enough && { enough, needed: isRaised };
    const until = clock.now() + settings.responseTimeoutMs;
    this.#raises++;
    const answer = await sender.answer(operations.key, command, { until, confirmation });
    this.#raises--;
    if (answer.kind !== 'reply') return answer;
    const { reply, sentAt, node } = answer;
    const { outcome, nowMs } = reply;
    if (!this.#tenure.held) return gone;
    if (outcome.kind === 'lost') return outcome;
    serverClock.note(node, sentAt, nowMs);
    lease.confirm(sentAt, outcome.remainingMs ?? leaseMs, leaseMs);
    return { kind: 'held' };
  }

  /**
   * The last step: gives the lock back. Rejects with what `failure` makes of the answer; `sentTwice`: an earlier copy of it may have run.
   */
  giveBack(terms: GiveBackTerms, failure: FailureOfAnswer): Promise<void> {
    const limit = this.settled ? undefined : this.leaveBy(terms.until);
    const release = (seq: number) => this.release(seq, terms, failure);
    const ended = this.#last === undefined ? release(++this.#seq) : this.after(this.#last, release);
    return limit === undefined ? ended : ended.finally(() => limit.cancel());
  }

  /** A step that is never answered must not hold up the release for longer than a release may take. */
  private leaveBy(until: number): Appointment {
    this.#leaving = true;
    return this.#parts.waits.at(until, () => {
      this.#leaving = false;
      this.drop();
    });
  }

  private release(seq: number, terms: GiveBackTerms, failure: FailureOfAnswer): Promise<void> {
    const { recentReleases: releases, sender, settings } = this.#parts;
    const { operations } = this.#tenure;
    const step = new LastStep(this.#tenure, seq, terms, { failure, releases });
    const enough = operations.issued === undefined ? undefined : settings.replicas;
    const confirmation = enough && { enough, needed: () => operations.issued as boolean };
    const { until } = terms;
    sender.request(operations.key, step, { until, inLastingTrouble: 'go on', confirmation }).whenAnswered(step);
    return step.outcome;
  }

  /** Runs `step` with the next number when all before it have settled. It must not reject. Of one that is not sent any more, Redis has said nothing. */
  private async whileHeld<O = HeldOutcome>(step: (seq: number) => Promise<O>): Promise<O | Failure> {
    const run = (seq: number): Promise<O | Failure> =>
      this.#tenure.held || this.#leaving ? step(seq) : Promise.resolve({ kind: 'silent', error: undefined });
    const mine = this.#last === undefined ? run(++this.#seq) : this.after(this.#last, run);
    this.#last = mine;
    try {
      return await mine;
    } finally {
      if (this.#last === mine) this.#last = undefined;
    }
  }

  private async after<T>(before: Promise<unknown>, step: (seq: number) => Promise<T>): Promise<T> {
    await before;
    return step(++this.#seq);
  }

  private send<R>(build: (now: number) => Command<R>): Promise<Answer<R>> {
    const source = { build, onDoubt: () => this.#tenure.onDoubt() };
    const request = this.#parts.sender.request(this.#tenure.operations.key, source);
    this.#request = request;
    return new Promise((resolve) => request.whenAnswered({ onAnswer: resolve }));
  }
}
