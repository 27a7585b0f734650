/**
 * A quorum: the stake of one client in a lock by majority. It is made of a tenure at each node, under the scripts and keys of the re-entrant lock.
 *
 *                a majority has voted              given back, or fewer than a majority left
 *      asking  ----------------------->  held  ------------------------------------------------>  ended
 *
 * While it asks, its {@link Candidacy} decides what. While it is held, each vote is renewed by the watchdog of its node, and nodes that do not vote are
 * asked again now and then.
 *
 * Why two clients never believe at once: two majorities share a node, and that node gave both of them a vote. It gives the second only after the
 * first is over there: given back, or run out, and then its deadline has passed here, counted from before it was asked for and less a margin. Or
 * it has forgotten the first, by a restart: then it does not count until each lease from before has run out (`standing.ts`), neither in a
 * round nor when a holder asks anew. FLUSHALL, and whoever deletes the key, is not in this: that shows with the next renewal.
 *
 * Sources: Redis' page "Distributed locks with Redis" (the algorithm), Martin Kleppmann's "How to do distributed locking", and Salvatore Sanfilippo's
 * "Is Redlock safe?". The line, the quarantine and the renewal of votes are not in them.
 */

import type { Appointment, LeaseTerms } from '@holdfast/watchdog';
import type { LockLostReason } from '../errors.js';
import type { Demand } from '../tenure/demand.js';
import type { Failure } from '../tenure/failures.js';
import { type HoldTerms, leaseTermsOf } from '../tenure/hold-terms.js';
import type { FailureOf, ReleaseOutcome, Stake, StakeListener } from '../tenure/stake.js';
import { Ballot, type BallotListener } from './ballot.js';
import { Ballots } from './ballots.js';
import { Candidacy, type CandidacyListener } from './candidacy.js';
import type { Electorate } from './electorate.js';
import { giveBackAll } from './giving-back.js';
import type { LockNode } from './lock-node.js';
import { QuorumLease, type Votes } from './quorum-lease.js';
import { QuorumSteps, type SteppedQuorum } from './quorum-steps.js';
import type { RedLockOperations } from './redlock-operations.js';

/** How often in a lease nodes that do not vote for what is held are asked again, the first time when it has been held for that long. */
const REFILLS_PER_LEASE = 3;

const nobodyKnown: Stake['otherWaiters'] = { count: 0, countedSince: () => true };

/** See the module comment. */
export class Quorum implements Stake, BallotListener, CandidacyListener, Votes, SteppedQuorum {
  readonly id: string;
  readonly operations: RedLockOperations;
  readonly lease: QuorumLease;
  readonly steps: QuorumSteps;
  handoffs = 0;
  refusal: Error | undefined;
  heldSince = 0;
  terms: LeaseTerms;
  readonly #electorate: Electorate;
  readonly #owner: string | undefined;
  readonly #listener: StakeListener;
  readonly #ballots: Ballots;
  readonly #candidacy: Candidacy;
  #state: 'asking' | 'held' | 'ended' = 'asking';
  #loss: LockLostReason | undefined;
  /** Nodes may have been asked for the lease of a call that has gone. */
  #changed = false;
  /** When a vote fell last, those that are not suspect were no majority. */
  #isWorried = false;
  #refill: Appointment | undefined;

  constructor(
    electorate: Electorate,
    operations: RedLockOperations,
    { owner, demand }: { readonly owner: string | undefined; readonly demand: Demand },
    listener: StakeListener,
  ) {
    this.#electorate = electorate;
    this.operations = operations;
    this.#owner = owner;
    this.#listener = listener;
    this.terms = leaseTermsOf(demand.terms, electorate.parts.clock);
    this.id = electorate.parts.tenureId(owner);
    this.lease = new QuorumLease(this);
    this.steps = new QuorumSteps(this);
    this.#ballots = new Ballots(electorate.parts, electorate.nodeTimeoutMs(this.terms.leaseMs));
    this.#candidacy = new Candidacy(operations.name, { electorate, ballots: this.#ballots, demand }, this);
  }

  get held(): boolean {
    return this.#state === 'held';
  }

  get clock(): Votes['clock'] {
    return this.#electorate.parts.clock;
  }

  get majority(): number {
    return this.#electorate.majority;
  }

  /** The tenures of the votes that stand. */
  get standing(): readonly Stake[] {
    return this.#ballots.tenures;
  }

  /** The tenure at a node, unless there is none. */
  tenureAt(node: LockNode): Stake | undefined {
    return this.#ballots.at(node)?.tenure;
  }

  /** Those who wait stand in line at one node. */
  get otherWaiters(): Stake['otherWaiters'] {
    const { line } = this.#candidacy;
    return (line && this.#ballots.at(line)?.tenure.otherWaiters) ?? nobodyKnown;
  }

  get unansweredSince(): number | undefined {
    return this.#candidacy.unansweredSince;
  }

  get setback(): boolean {
    return this.#electorate.lacksMajority((node) => !this.#ballots.setbackAt(node));
  }

  get trouble(): Error | undefined {
    return this.#electorate.trouble ?? this.#ballots.firstTrouble;
  }

  want(demand: Demand): void {
    if (this.#state !== 'asking') return;
    this.#changed ||= demand.terms !== this.#candidacy.demand.terms;
    this.#candidacy.want(demand);
  }

  ask(): void {
    if (this.#state === 'asking') this.#candidacy.ask();
  }

  askAt(time: number): void {
    this.#candidacy.askAt(time);
  }

  stayFresh(until: number): void {
    if (this.#state === 'asking') this.#candidacy.stayFresh(until);
  }

  suits(terms: HoldTerms): boolean {
    return !this.#changed || this.#ballots.votes.every((vote) => vote.suits(terms));
  }

  retune(terms: LeaseTerms): void {
    this.terms = terms;
    this.lease.runsOut = false;
    for (const tenure of this.standing) tenure.retune(terms);
    this.#planRefill();
  }

  giveBack(_now: number, failure: FailureOf): Promise<void> {
    const { standing: votes, majority } = this;
    const anew = this.#anew;
    const momentMs = this.#electorate.nodeTimeoutMs(this.terms.leaseMs);
    this.#end();
    const underWay = this.#ballots.takeUnanswered();
    this.#ballots.withdraw(...this.#ballots.all.filter(({ answer }) => answer !== 'yes'));
    const { declined } = this.#ballots;
    return giveBackAll(this.#electorate.parts, { votes, anew, underWay, declined }, { majority, momentMs, failure });
  }

  /** The nodes' answers are not waited for. */
  cancel(): Promise<ReleaseOutcome> {
    this.#end();
    this.#ballots.withdrawAll();
    return Promise.resolve({ kind: 'silent', error: undefined });
  }

  forget(): void {
    void this.cancel();
  }

  whyLost(found: LockLostReason): LockLostReason {
    return this.#loss ?? found;
  }

  // ---------------------------------------------------------------- what the candidacy tells

  ballotAt(node: LockNode, demand: Demand): Ballot {
    const ballot = new Ballot(node, this.operations.at(node), { owner: this.#owner, demand }, this);
    this.#ballots.add(ballot);
    return ballot;
  }

  onBusy(askedAt: number, owner: 'holdfast' | 'foreign'): void {
    this.#listener.onBusy(this, askedAt, owner);
  }

  onFailed(failure: Failure): void {
    this.#listener.onFailed(this, failure);
  }

  onMajority(how: 'asked' | 'granted'): void {
    this.#state = 'held';
    this.heldSince = this.clock.now();
    const { terms } = this.#candidacy.demand;
    this.terms = leaseTermsOf(terms, this.clock);
    // What is still unanswered may yet become a vote, unless it would have another lease. One that has a place in a queue instead is withdrawn when it says so.
    const isOver = (ballot: Ballot) =>
      ballot.answer !== 'yes' && (ballot.answer !== 'none' || (this.#changed && !ballot.suits(terms)));
    this.#ballots.withdraw(...this.#ballots.all.filter(isOver));
    // They began on the terms on which each was asked.
    if (this.#changed) for (const tenure of this.standing) tenure.retune(this.terms);
    this.lease.begin();
    this.#listener.onHeld(this, how);
    this.#planRefill();
  }

  // ---------------------------------------------------------------- what ballots tell

  onAnswer(ballot: Ballot): void {
    if (this.#state === 'asking') this.#candidacy.onAnswer(ballot);
    else if (ballot.answer === 'yes') ballot.tenure.retune(this.terms);
    else this.#ballots.withdraw(ballot);
  }

  onVoteLost(ballot: Ballot, reason: LockLostReason): void {
    ballot.phase = 'over';
    const isOver = ballot.tenure.lease.deadline <= this.clock.now();
    if (this.#state === 'asking') this.#candidacy.onVoteLost(ballot);
    else if (this.standing.length - (isOver ? 0 : this.#anew.length) < this.majority) {
      this.refusal = ballot.tenure.refusal;
      this.lease.lose(reason);
    } else {
      // One that was suspect itself takes nothing from those that are not.
      if (!this.#isWorried) this.onVoteSuspect();
      this.#planRefill();
    }
  }

  /**
   * Votes that nodes have given anew for what is held, within the last lease. A node that has taken its vote away did so within that time, and others may have
   * had a majority with it: these do not make up for it.
   */
  get #anew(): readonly Stake[] {
    const { leaseMs } = this.terms;
    const since = Math.max(this.clock.now() - leaseMs, this.heldSince + leaseMs / REFILLS_PER_LEASE);
    return this.standing.filter(({ heldSince }) => heldSince >= since);
  }

  onVoteSuspect(): void {
    if (!this.held) return;
    // Each vote that falls tells so: this is the one that broke the majority.
    const healthy = this.standing.filter(({ lease }) => lease.state === 'held').length;
    this.#isWorried = healthy < this.majority;
    if (healthy === this.majority - 1) this.#listener.onSuspect(this);
  }

  onContended(): void {
    this.#candidacy.onContended();
  }

  onLost(reason: string): void {
    this.#loss = reason as LockLostReason;
    this.#listener.onLost(this, this.#loss);
  }

  // ---------------------------------------------------------------- held

  get #isRenewed(): boolean {
    return this.held && !this.lease.runsOut && this.terms.mode === 'watched';
  }

  /** Nodes that do not vote are asked again now and then, on behalf of a hold that is renewed. */
  #planRefill(): void {
    const { background, nodes } = this.#electorate;
    if (!this.#isRenewed) return;
    if (this.#refill !== undefined || this.standing.length === nodes.length) return;
    this.#refill = background.at(this.clock.now() + this.terms.leaseMs / REFILLS_PER_LEASE, () => {
      this.#refill = undefined;
      if (!this.lease.check() || !this.#isRenewed) return;
      const terms = { mode: 'watched', leaseMs: this.terms.leaseMs, maxHoldMs: undefined } as const;
      for (const node of nodes) {
        if (this.#ballots.at(node) !== undefined) continue;
        if (node.mayVote) this.ballotAt(node, { terms, patientUntil: -Infinity }).tenure.ask();
        else node.connect();
      }
      this.#planRefill();
    });
  }

  #end(): void {
    this.#state = 'ended';
    this.#refill?.cancel();
    this.#candidacy.stop();
    this.lease.end();
  }
}
