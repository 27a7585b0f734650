import type { Appointment } from '@holdfast/watchdog';
import { whenRead } from '../connection/reading.js';
import type { Demand } from '../tenure/demand.js';
import type { Ballot } from './ballot.js';
import type { Ballots } from './ballots.js';
import type { Electorate } from './electorate.js';
import type { LockNode } from './lock-node.js';

/** Makes ballots, which ask when they are told to. */
export interface BallotMaker {
  ballotAt(node: LockNode, demand: Demand): Ballot;
}

/** All nodes that may vote are asked, and have so much time to answer: one round of a candidacy, or one gathering. */
export class Voting {
  readonly begunAt: number;
  readonly #electorate: Electorate;
  readonly #ballots: Ballots;
  readonly #maker: BallotMaker;
  #timeIsOver = false;
  #isStopped = false;
  #limit: Appointment | undefined;

  constructor(electorate: Electorate, ballots: Ballots, maker: BallotMaker) {
    this.#electorate = electorate;
    this.#ballots = ballots;
    this.#maker = maker;
    this.begunAt = electorate.parts.clock.now();
  }

  /** The nodes that have not answered are not waited for any more. */
  get timeIsOver(): boolean {
    return this.#timeIsOver;
  }

  /** `onTimeOver` is called after so many milliseconds, unless it is stopped. What has come by then is read first. */
  begin(demand: Demand, ms: number, onTimeOver: () => void): void {
    this.#open(demand);
    if (this.#isStopped) return;
    const { waits, nextTurn } = this.#electorate.parts;
    this.#limit = waits.at(this.begunAt + ms, () =>
      whenRead(nextTurn, () => {
        if (this.#isStopped) return;
        this.#timeIsOver = true;
        onTimeOver();
      }),
    );
  }

  stop(): void {
    this.#isStopped = true;
    this.#limit?.cancel();
  }

  /** Asks the nodes that may vote and have not: those that were not asked, and, for a demand that waits, those that queue already. */
  #open(demand: Demand): void {
    for (const node of this.#electorate.nodes) {
      const before = this.#ballots.at(node);
      if (before?.answer === 'failed') this.#ballots.withdraw(before);
      const known = this.#ballots.at(node);
      const isOpen =
        known === undefined ? node.mayVote : known.answer !== 'yes' && Number.isFinite(demand.patientUntil);
      if (!isOpen) continue;
      const ballot = known ?? this.#maker.ballotAt(node, demand);
      ballot.answer = 'none';
      if (known !== undefined) ballot.tenure.want(demand);
      ballot.tenure.ask();
      // The answer may have been known at once.
      if (this.#isStopped) return;
    }
  }
}
