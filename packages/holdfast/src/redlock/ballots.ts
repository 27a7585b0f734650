import type { LockParts } from '../client-parts.js';
import type { Stake } from '../tenure/stake.js';
import { type Ballot, keepsNothing, type Parting } from './ballot.js';
import type { LockNode } from './lock-node.js';

/** The ballots of a quorum, one for a node at most. */
export class Ballots {
  /** The last at each node, also when it is over. */
  readonly #latest = new Map<LockNode, Ballot>();
  readonly #parts: LockParts;
  readonly #nodeTimeoutMs: number;

  constructor(parts: LockParts, nodeTimeoutMs: number) {
    this.#parts = parts;
    this.#nodeTimeoutMs = nodeTimeoutMs;
  }

  get all(): readonly Ballot[] {
    return [...this.#latest.values()].filter(({ phase }) => phase === 'current');
  }

  /** Those that stand. */
  get votes(): readonly Ballot[] {
    return this.all.filter(({ answer }) => answer === 'yes');
  }

  /** Of the votes. */
  get tenures(): readonly Stake[] {
    return this.votes.map(({ tenure }) => tenure);
  }

  at(node: LockNode): Ballot | undefined {
    const latest = this.#latest.get(node);
    return latest?.phase === 'current' ? latest : undefined;
  }

  /** How many nodes have answered no when they were asked last, or have confirmed that this was undone: they keep nothing of this quorum. */
  get declined(): number {
    return [...this.#latest.values()].filter(({ phase }) => phase === 'undone').length;
  }

  add(ballot: Ballot): void {
    ballot.setbackBefore = this.setbackAt(ballot.node);
    // In the order in which they were asked.
    this.#latest.delete(ballot.node);
    this.#latest.set(ballot.node, ballot);
  }

  /** What these have, or may come to have, is given back. */
  withdraw(...ballots: readonly Ballot[]): void {
    for (const ballot of ballots) {
      ballot.phase = ballot.answer === 'no' ? 'undone' : 'over';
      ballot.leave(this.#parts, this.#nodeTimeoutMs, (outcome) => {
        if (keepsNothing(outcome)) ballot.phase = 'undone';
      });
    }
  }

  /** Takes the unanswered ones out; each of these has what it may come to have given back, and tells so. */
  takeUnanswered(): ((onParting: Parting) => void)[] {
    const unanswered = this.all.filter(({ answer }) => answer === 'none');
    for (const ballot of unanswered) ballot.phase = 'over';
    return unanswered.map((ballot) => (onParting) => ballot.leave(this.#parts, this.#nodeTimeoutMs, onParting));
  }

  withdrawAll(): void {
    this.withdraw(...this.all);
  }

  count(which: (ballot: Ballot) => boolean): number {
    return this.all.filter(which).length;
  }

  /** That a node cannot answer now, if that is what it said last. */
  setbackAt(node: LockNode): Error | undefined {
    return this.#latest.get(node)?.setback;
  }

  get firstTrouble(): Error | undefined {
    return [...this.#latest.values()]
      .map(({ setback, tenure }) => setback ?? tenure.trouble)
      .find((trouble) => trouble !== undefined);
  }
}
