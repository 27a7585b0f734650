/**
 * A stake: what a coordinator has of Redis while its client has or wants a lock. It asks, is held, and ends.
 *
 * A tenure is a stake on one server. A stake on a majority of several servers is made of tenures, one at each (`redlock/`). The coordinator, the waiting
 * calls and the holds know this interface only, so that they are the same for both.
 */

import type { Command } from '@holdfast/core';
import type { Lease, LeaseTerms } from '@holdfast/watchdog';
import type { ReplicaTerms } from '../connection/connection.js';
import type { LockLostReason } from '../errors.js';
import type { Demand } from './demand.js';
import type { Failure } from './failures.js';
import type { FencingTokens } from './fence.js';
import type { HoldTerms } from './hold-terms.js';
import type { Inherited } from './inherited.js';
import type { HandoffReply, Operations, TenureEnd } from './operations.js';

/** What a step on a stake that is held came to. */
export type HeldOutcome = { kind: 'held' } | Gone | Failure;

/** The stake has lost it. */
export type Gone = { readonly kind: 'lost'; readonly reason: LockLostReason };

/** Redis says only that it is not ours. */
export const gone: Gone = { kind: 'lost', reason: 'deleted' };

/** What counting down came to. `released`: it was the last hold that Redis knew of. */
export type CountedDown = HeldOutcome | { kind: 'released' };

/** What giving the lock back came to. `unheld`: Redis says it was not ours and nothing of ours explains it. */
export type ReleaseOutcome = { kind: 'released' } | { kind: 'unheld' } | Failure;

/** What to tell the caller of a release, if anything is wrong. */
export type FailureOf = (outcome: ReleaseOutcome) => Error | undefined;

/** What a holder settles for those after it. */
export interface Bequest {
  /** Clock time until which nobody gets the lock. */
  readonly restUntil?: number | undefined;
  /** How many critical sections the next turn is to have; absent: not known. */
  readonly turn?: number | undefined;
}

/** How the lease of a stake is read and ended; see {@link Lease}. */
export type StakeLease = Pick<
  Lease<unknown>,
  'state' | 'deadline' | 'remainingMs' | 'check' | 'lose' | 'runOut' | 'runsOut' | 'question'
>;

/** What changes the hold count of a stake, or its lease by number; see `hold-steps.ts`. */
export interface StakeSteps {
  /** No step is under way. */
  readonly settled: boolean;
  /** A longer lease is asked for, which is no step there: whoever has the lock when it is answered gets it. */
  readonly raising?: boolean;
  countUp(leaseMs: number): Promise<HeldOutcome>;
  /** `restUntil`: as in {@link Bequest}, should it be the last hold that Redis knows of. */
  countDown(restUntil?: number): Promise<CountedDown>;
  /** The lease begins anew. `retune` gives the stake the terms that its holds have by the time of the answer. */
  passOn(leaseMs: number, retune: () => void): Promise<HeldOutcome>;
  restart(leaseMs: number, retune: () => void): Promise<HeldOutcome>;
  /** A step that only this primitive has. Absent: there is none to this kind of lock. */
  change?(build: () => Command<HandoffReply>): Promise<HeldOutcome>;
  /** Raises the lease to at least `leaseMs` from now; its terms go on. `enough`: replicas that have to confirm it. */
  raise(leaseMs: number, enough?: ReplicaTerms): Promise<HeldOutcome>;
}

/** See the module comment. The members of a tenure with these names say more. */
export interface Stake {
  readonly id: string;
  readonly operations: Operations;
  readonly lease: StakeLease;
  readonly steps: StakeSteps;
  /** The fencing tokens of its holders; absent where they have none. */
  readonly tokens?: FencingTokens | undefined;
  /** How often it has been passed on inside the process. */
  handoffs: number;
  /** Critical sections in a turn while others wait, as the holder before has told or this process knows; see `handoff-rule.ts`. */
  turn?: number | undefined;
  readonly held: boolean;
  /** Clock time since which it is held. */
  readonly heldSince: number;
  /** Other processes that are known to wait. */
  readonly otherWaiters: { readonly count: number; countedSince(time: number): boolean };
  /** Whether it was asked for with the lease that this call wants, not on behalf of another call, which has gone. A grant is a claim for a moment, raised as soon as it is heard of. */
  suits(terms: HoldTerms, how: 'asked' | 'granted'): boolean;
  /** Clock time since which Redis owes it an answer; undefined when it does not. */
  readonly unansweredSince: number | undefined;
  /** The same, where what it asked went with a connection that has ended. */
  readonly resentSince?: number | undefined;
  /** Redis has answered that it cannot do it now. */
  readonly setback: boolean;
  /** Why there is no answer yet, as far as is known. */
  readonly trouble: Error | undefined;
  /** What is asked for from now on. */
  want(demand: Demand): void;
  /** Asks now, or right after the answer that is awaited. */
  ask(): void;
  /** Asks at a clock time; only to begin with. */
  askAt(time: number): void;
  /** A call has joined those that wait, until then at the latest. */
  stayFresh(until: number): void;
  /** What the lease is renewed to from now on. */
  retune(terms: LeaseTerms): void;
  /**
   * Gives the lock back; rejects with what `failure` makes of the answer. Nothing is renewed or believed from this call on.
   */
  giveBack(now: number, failure: FailureOf, bequest?: Bequest): Promise<void>;
  /**
   * Withdraws it, until that is acknowledged or nothing can be left to undo. `end`: what the next owner is to know; absent: `unused`. `restUntil`: as in
   * {@link Bequest}.
   * `unheld`: it is known that nothing is left; else why not.
   */
  cancel(end?: TenureEnd, restUntil?: number): Promise<ReleaseOutcome>;
  /** There is nothing to undo. */
  forget(): void;
  whyLost(found: LockLostReason): LockLostReason;
  /** What Redis has answered to the last renewal, where that was no. */
  readonly refusal?: Error | undefined;
}

/** Told what becomes of a stake. */
export interface StakeListener {
  onHeld(stake: Stake, how: 'asked' | 'granted', inherited?: Inherited): void;
  /** The ask that is about to be sent takes a place in line, where it had none. */
  onPlace?(): void;
  /** The lock has another owner. `askedAt`: when the question was sent. */
  onBusy(stake: Stake, askedAt: number, owner: 'holdfast' | 'foreign'): void;
  /** It will never be held. */
  onFailed(stake: Stake, failure: Failure | { kind: 'over' }): void;
  onLost(stake: Stake, reason: LockLostReason): void;
  onSuspect(stake: Stake): void;
  /** While it is held: another process has come to wait for it. */
  onContended?(): void;
}

/** Makes a stake; it asks when it is told to. */
export type OpenStake = (
  operations: Operations,
  wish: { readonly owner: string | undefined; readonly demand: Demand },
  listener: StakeListener,
) => Stake;

/** A stake that was asked for before its call was made. */
export interface StakeAhead {
  /** Makes it the stake of a lock that has none, and answers true, if it is held; once. */
  claim(lock: StakeListener & { tenure: Stake | undefined }): boolean;
}
