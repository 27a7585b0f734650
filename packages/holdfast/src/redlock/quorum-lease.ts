import type { Clock } from '@holdfast/watchdog';
import type { Stake, StakeLease } from '../tenure/stake.js';

/** The votes that a lease is made of. */
export interface Votes {
  readonly clock: Clock;
  readonly majority: number;
  /** The tenures of the votes that stand. */
  readonly standing: readonly Stake[];
  /** It has been lost. */
  onLost(reason: string): void;
}

/**
 * The lease of a lock by majority: it lasts for as long as a majority of votes does, so until the q-th latest of their deadlines.
 *
 * Each vote has a lease of its own, which its node's watchdog renews. One that ends tells so; the lease is over when those that are left are no
 * majority any more. So a loss is found wherever a vote is looked at, and never later than the timer of the vote that broke the majority.
 */
export class QuorumLease implements StakeLease {
  /** Nothing is asked for any more: what is confirmed runs out. */
  runsOut = false;
  readonly #votes: Votes;
  #state: 'pending' | 'held' | 'lost' | 'ended' = 'pending';

  constructor(votes: Votes) {
    this.#votes = votes;
  }

  /** A majority has voted. */
  begin(): void {
    this.#state = 'held';
  }

  get state(): StakeLease['state'] {
    if (!this.check()) return this.#state;
    const { standing, majority } = this.#votes;
    return standing.filter(({ lease }) => lease.state === 'held').length >= majority ? 'held' : 'suspect';
  }

  /** Clock time from which fewer than a majority is believed. */
  get deadline(): number {
    return deadlineOf(this.#votes.standing, this.#votes.majority);
  }

  remainingMs(): number {
    return this.check() ? Math.max(0, this.deadline - this.#votes.clock.now()) : 0;
  }

  check(): boolean {
    if (this.#state !== 'held') return false;
    // Each look may find a vote over, and with it the majority.
    for (const { lease } of [...this.#votes.standing]) lease.check();
    return this.#state === 'held';
  }

  lose(reason: string): void {
    if (this.#state !== 'held') return;
    this.#state = 'lost';
    this.#votes.onLost(reason);
  }

  runOut(): void {
    if (!this.check()) return;
    this.runsOut = true;
    for (const { lease } of this.#votes.standing) lease.runOut();
  }

  question(): void {
    if (this.#state !== 'held') return;
    for (const { lease } of [...this.#votes.standing]) lease.question();
  }

  end(): void {
    if (this.#state !== 'lost') this.#state = 'ended';
  }
}

/** Until when a majority of these is believed; -Infinity when they are none. */
export function deadlineOf(votes: readonly Stake[], majority: number): number {
  const deadlines = votes.map(({ lease }) => lease.deadline).sort((a, b) => b - a);
  return deadlines[majority - 1] ?? -Infinity;
}
