import type { Appointment } from '@holdfast/watchdog';
import type { Demand } from '../tenure/demand.js';
import type { Ballots } from './ballots.js';
import type { Electorate } from './electorate.js';
import type { LockNode } from './lock-node.js';
import type { Tally } from './tally.js';
import { type BallotMaker, Voting } from './voting.js';

/** A node in line that does not answer, or refuses to for now, is given up at the second look, one so many node timeouts after the other. */
const LOOK_TIMEOUTS = 4;
/** So often the others are asked, after a first time that comes with the second look. */
const ASIDE_MS = 10_000;

interface Parts {
  readonly electorate: Electorate;
  readonly ballots: Ballots;
  readonly tally: Tally;
  readonly maker: BallotMaker;
}

interface LineListener {
  readonly demand: Demand;
  /** The node in line does not answer any more. */
  startAgain(): void;
  /** The others are a majority, and have voted. */
  onPassedOver(voter: LockNode | undefined): void;
}

/**
 * Looks whether the line is worth standing in any more, because no message tells of either of these:
 * - The node in line has gone, or serves nobody.
 * - What the line waits for is taken on that node alone: by somebody who could not give it back there, or who took it nowhere else. So now and then the others
 *   are asked, aside, without a place in their queues. Their votes count when they have stood for as long as a node may take: whoever has the vote of
 *   the line queues there meanwhile, and goes first.
 */
export class LineWatch {
  readonly #parts: Parts;
  readonly #listener: LineListener;
  #voting: Voting | undefined;
  #looksInVain = 0;
  #asksAt = 0;
  /** Until the next time, where some have voted. */
  #againMs = 0;
  #next: Appointment | undefined;

  constructor(parts: Parts, listener: LineListener) {
    this.#parts = parts;
    this.#listener = listener;
  }

  begin(line: LockNode, nodeTimeoutMs: number): void {
    this.stop();
    this.#looksInVain = 0;
    this.#againMs = 1.5 * LOOK_TIMEOUTS * nodeTimeoutMs;
    this.#asksAt = this.#parts.electorate.parts.clock.now() + this.#againMs;
    this.#plan(line, nodeTimeoutMs);
  }

  stop(): void {
    this.#next?.cancel();
    this.#next = undefined;
    this.#voting?.stop();
  }

  /** One of the others has answered. Where all have, and not enough have voted, no time is left to pass. */
  onAnswer(line: LockNode | undefined): void {
    const { electorate, tally } = this.#parts;
    if (tally.open === 0 && tally.votes < electorate.majority) this.#passedOverInVain(line);
  }

  /** What was voted aside is given back. */
  giveWay(line: LockNode | undefined): void {
    const { ballots } = this.#parts;
    ballots.withdraw(...ballots.all.filter(({ node }) => node !== line));
  }

  #plan(line: LockNode, nodeTimeoutMs: number): void {
    const { clock, waits, random } = this.#parts.electorate.parts;
    // Those who ask the others at the same time divide the votes.
    const ms = LOOK_TIMEOUTS * nodeTimeoutMs * (0.5 + random());
    this.#next = waits.at(clock.now() + ms, () => {
      const serves = line.mayVote && !this.#parts.ballots.setbackAt(line);
      this.#looksInVain = serves ? 0 : this.#looksInVain + 1;
      if (this.#looksInVain === 2) return this.#listener.startAgain();
      this.#plan(line, nodeTimeoutMs);
      if (clock.now() < this.#asksAt) return;
      this.#asksAt = clock.now() + ASIDE_MS;
      this.#ask(line, nodeTimeoutMs);
    });
  }

  #ask(line: LockNode, nodeTimeoutMs: number): void {
    const { electorate, ballots, tally, maker } = this.#parts;
    const { terms } = this.#listener.demand;
    this.#voting = new Voting(electorate, ballots, maker);
    this.#voting.begin({ terms, patientUntil: -Infinity }, nodeTimeoutMs, () => {
      if (tally.suffices(terms)) this.#listener.onPassedOver(ballots.votes[0]?.node);
      else this.#passedOverInVain(line);
    });
  }

  /** At once: the holder may be about to ask a node anew that has not voted for it. */
  #passedOverInVain(line: LockNode | undefined): void {
    const { electorate, tally } = this.#parts;
    this.#voting?.stop();
    // Another one may have asked at that moment, or these have not voted for the holder either.
    if (tally.votes > 0) {
      this.#asksAt = electorate.parts.clock.now() + this.#againMs;
      this.#againMs = Math.min(2 * this.#againMs, ASIDE_MS);
    }
    this.giveWay(line);
  }
}
