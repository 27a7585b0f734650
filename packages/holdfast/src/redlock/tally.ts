import type { Failure } from '../tenure/failures.js';
import type { HoldTerms } from '../tenure/hold-terms.js';
import type { Ballot } from './ballot.js';
import type { Ballots } from './ballots.js';
import type { Electorate } from './electorate.js';
import type { LockNode } from './lock-node.js';
import { deadlineOf } from './quorum-lease.js';

/** What the ballots for one lock come to. */
export class Tally {
  readonly #ballots: Ballots;
  readonly #electorate: Electorate;
  readonly #order: readonly LockNode[];

  constructor(name: string, ballots: Ballots, electorate: Electorate) {
    this.#ballots = ballots;
    this.#electorate = electorate;
    this.#order = electorate.orderFor(name);
  }

  /** Nodes that have said yes or no. */
  get answers(): number {
    return this.#ballots.count(({ answer }) => answer === 'yes' || answer === 'no');
  }

  /** Nodes that have yet to answer. */
  get open(): number {
    return this.#ballots.count(({ answer }) => answer === 'none');
  }

  get votes(): number {
    return this.#ballots.votes.length;
  }

  /** What the nodes have said, when so many have refused for good that the others are no majority. */
  get refusal(): Failure | undefined {
    const failures = this.#ballots.all.map(({ failure }) => failure).filter((failure) => failure?.kind === 'refused');
    return failures.length > this.#electorate.nodes.length - this.#electorate.majority ? failures[0] : undefined;
  }

  /** The first in the order that answers; undefined as long as that is not known. `late`: those that have not answered are passed over. */
  inLine(late: 'wait' | 'pass over'): Ballot | undefined {
    for (const node of this.#order) {
      const ballot = this.#ballots.at(node);
      if (ballot === undefined || ballot.answer === 'failed') continue;
      if (ballot.answer !== 'none') return ballot;
      if (late === 'wait') return undefined;
    }
    return undefined;
  }

  /** A majority has voted, for long enough to hand a lock over on these terms. One that is to be held for less time needs half of that. */
  suffices({ leaseMs, mode, maxHoldMs = Infinity }: HoldTerms): boolean {
    const { majority, parts } = this.#electorate;
    const leftMs = deadlineOf(this.#ballots.tenures, majority) - parts.clock.now();
    return leftMs >= Math.min(this.#electorate.minValidityMs(leaseMs, mode), maxHoldMs / 2);
  }
}
