import type { LockParts } from '../client-parts.js';
import type { LockLostReason } from '../errors.js';
import type { Demand } from '../tenure/demand.js';
import type { Failure } from '../tenure/failures.js';
import type { HoldTerms } from '../tenure/hold-terms.js';
import type { Operations } from '../tenure/operations.js';
import type { ReleaseOutcome, Stake, StakeListener } from '../tenure/stake.js';
import type { LockNode } from './lock-node.js';

/** Told, once, what a ballot that is not wanted any more has given back: `unheld` when it never was a vote. */
export type Parting = (outcome: ReleaseOutcome) => void;

/** After this the node has nothing of the ballot any more. */
export const keepsNothing = ({ kind }: ReleaseOutcome): boolean => kind === 'released' || kind === 'unheld';

/** Told of a ballot. */
export interface BallotListener {
  onAnswer(ballot: Ballot): void;
  onVoteLost(ballot: Ballot, reason: LockLostReason): void;
  /** A renewal of the vote is overdue. */
  onVoteSuspect(): void;
  /** Somebody has come to wait for what was voted. */
  onContended(): void;
}

/**
 * One node's part in a lock: the tenure there, and what the node has said. `yes`: the tenure is held, and the node counts; that is the vote,
 * and it stands until the deadline of the tenure's lease.
 *
 * A ballot that is not wanted any more gives back what it has. While its question is unanswered it waits for the answer first, for a moment: most say no,
 * and leave nothing to undo.
 */
export class Ballot implements StakeListener {
  readonly node: LockNode;
  readonly tenure: Stake;
  answer: 'none' | 'yes' | 'no' | 'failed' = 'none';
  /** `over`: it is not wanted any more, and its node may keep something of it. `undone`: its node keeps nothing. */
  phase: 'current' | 'over' | 'undone' = 'current';
  /** Of the answer `no`: whether an owner of ours has it, and when that was asked. */
  owner: 'holdfast' | 'foreign' = 'holdfast';
  askedAt = 0;
  /** Of the answer `failed`; undefined when the node does not count any more. */
  failure: Failure | undefined;
  /** See {@link setback}: what its node said to the question before. */
  setbackBefore: Error | undefined;
  #how: 'asked' | 'granted' = 'asked';
  #listener: BallotListener | undefined;
  #parting: Parting | undefined;
  /** The end of its patience with the answer to a question that has become pointless. */
  #patience: { cancel(): void } | undefined;

  constructor(
    node: LockNode,
    operations: Operations,
    wish: { readonly owner: string | undefined; readonly demand: Demand },
    listener: BallotListener,
  ) {
    this.node = node;
    this.#listener = listener;
    this.tenure = node.backend.parts.openStake(operations, wish, this);
  }

  /** That its node cannot answer now, if that is what it said last: to this question or, until that is known, to the one before. */
  get setback(): Error | undefined {
    if (this.tenure.setback) return this.tenure.trouble;
    return this.answer === 'none' ? this.setbackBefore : undefined;
  }

  /** Its listener hears no more of it. */
  leave({ waits, clock }: LockParts, nodeTimeoutMs: number, onParting?: Parting): void {
    this.#listener = undefined;
    this.#parting = onParting;
    if (this.answer === 'yes') this.#giveBack(clock.now());
    else if (this.answer === 'none') this.#patience = waits.at(clock.now() + nodeTimeoutMs, () => this.#cancel());
    else if (this.answer === 'no') this.#cancel();
  }

  /** Whether its node has been asked for the lease that this call wants, and for no other one. */
  suits(terms: HoldTerms): boolean {
    return this.tenure.suits(terms, this.#how);
  }

  onHeld(_: Stake, how: 'asked' | 'granted'): void {
    this.#how = how;
    // A server that was restarted since it was asked must not count: the connection is another one by now.
    this.answer = this.node.mayCount ? 'yes' : 'failed';
    if (this.#listener === undefined) this.#giveBack(this.node.backend.parts.clock.now());
    else if (this.answer === 'failed') this.#cancel();
    this.#listener?.onAnswer(this);
  }

  onBusy(_: Stake, askedAt: number, owner: 'holdfast' | 'foreign'): void {
    this.answer = 'no';
    this.askedAt = askedAt;
    this.owner = owner;
    if (this.#listener === undefined) this.#cancel();
    this.#listener?.onAnswer(this);
  }

  onFailed(_: Stake, failure: Failure | { kind: 'over' }): void {
    this.answer = 'failed';
    this.failure = failure.kind === 'over' ? undefined : failure;
    if (failure.kind === 'refused') this.node.note(failure.error);
    this.#cancel();
    this.#listener?.onAnswer(this);
  }

  onLost(_: Stake, reason: LockLostReason): void {
    this.answer = 'failed';
    this.#cancel();
    this.#listener?.onVoteLost(this, reason);
  }

  onSuspect(): void {
    this.#listener?.onVoteSuspect();
  }

  onContended(): void {
    this.#listener?.onContended();
  }

  #giveBack(now: number): void {
    this.#patience?.cancel();
    void this.tenure.giveBack(now, (outcome) => {
      this.#part(outcome);
      return undefined;
    });
  }

  #cancel(): void {
    this.setbackBefore = this.setback;
    this.#patience?.cancel();
    // A node that has not acknowledged it may keep something.
    void this.tenure.cancel().then((outcome) => this.#part(outcome));
  }

  #part(outcome: ReleaseOutcome): void {
    this.#parting?.(outcome);
    this.#parting = undefined;
  }
}
