/**
 * A candidacy: the part of a quorum that asks, until a majority has voted.
 *
 *                    a majority may vote        the first node in line said yes, too few others did
 *      reaching  -----------------------> round ---------------------------> gathering
 *         ^  ^                             |  |                               |  |  ^
 *         |  +-- too few have answered ----+  |  no: another one has the lock |  |  |  granted by the first in line
 *         |                                   v                               |  |  |
 *         |                                 queued  <-- three times in vain --+--|--+
 *         +---- that node is gone ------------+                                  |
 *                                              a majority has voted: over <------+ (and from the round)
 *
 * - *Round*: all nodes are asked at once, without a place in their queues. A node that does not answer in time is passed over.
 * - *Line*: waiting is for one node only, the first in an order by the name that answers. It has the queue, and tells who is next by message, so
 *   nobody polls. It must have voted in a round too, so that nobody overtakes those who stand there. When it alone is in the way: {@link LineWatch}.
 * - *Gathering*: who has the vote of that node is the only one who asks the others for longer than a moment, with a place in their queues. Queues everywhere
 *   would split the votes among those who wait.
 *
 * Order and waking come from the line. Exclusion does not: it comes from the majority and from the deadlines of the votes, whatever two clients
 * think of the line.
 */

import type { Appointment } from '@holdfast/watchdog';
import type { Demand } from '../tenure/demand.js';
import type { Failure } from '../tenure/failures.js';
import type { Ballot } from './ballot.js';
import type { Ballots } from './ballots.js';
import type { Electorate } from './electorate.js';
import { LineWatch } from './line-watch.js';
import type { LockNode } from './lock-node.js';
import { Reaching } from './reaching.js';
import { Tally } from './tally.js';
import { type BallotMaker, Voting } from './voting.js';

/** Who has the vote of the line may ask the others for so many node timeouts at a time, */
const GATHER_TIMEOUTS = 4;
/** and so often, before others have their turn. */
const GATHERINGS = 3;

type State = 'idle' | 'reaching' | 'round' | 'gathering' | 'pausing' | 'queued' | 'over';

/** Told what becomes of it. */
export interface CandidacyListener extends BallotMaker {
  /** A majority has voted: after a round, or after the line gave its vote. */
  onMajority(how: 'asked' | 'granted'): void;
  onBusy(askedAt: number, owner: 'holdfast' | 'foreign'): void;
  onFailed(failure: Failure): void;
}

/** See the module comment. */
export class Candidacy {
  readonly #electorate: Electorate;
  readonly #ballots: Ballots;
  readonly #listener: CandidacyListener;
  readonly #tally: Tally;
  readonly #reaching: Reaching;
  readonly #lineWatch: LineWatch;
  #demand: Demand;
  #state: State = 'idle';
  /** The node where it stands in line, or whose vote it has. */
  #line: LockNode | undefined;
  #gatherings = 0;
  /** The present round, or gathering, or the last one; before the first, one that is never begun. */
  #voting: Voting;
  #unansweredSince: number | undefined;
  #next: Appointment | undefined;

  constructor(
    name: string,
    { electorate, ballots, demand }: { electorate: Electorate; ballots: Ballots; demand: Demand },
    listener: CandidacyListener,
  ) {
    this.#electorate = electorate;
    this.#ballots = ballots;
    this.#demand = demand;
    this.#listener = listener;
    this.#tally = new Tally(name, ballots, electorate);
    this.#reaching = new Reaching(electorate, {
      done: () => this.#round(),
      failed: (failure) => listener.onFailed(failure),
    });
    this.#lineWatch = new LineWatch({ electorate, ballots, tally: this.#tally, maker: listener }, this);
    this.#voting = new Voting(electorate, ballots, listener);
  }

  /** The node whose queue orders those who wait. */
  get line(): LockNode | undefined {
    return this.#line;
  }

  get demand(): Demand {
    return this.#demand;
  }

  get unansweredSince(): number | undefined {
    return this.#state === 'queued' ? this.#lineBallot?.tenure.unansweredSince : this.#unansweredSince;
  }

  get #lineBallot(): Ballot | undefined {
    return this.#line && this.#ballots.at(this.#line);
  }

  get #nodeTimeoutMs(): number {
    return this.#electorate.nodeTimeoutMs(this.#demand.terms.leaseMs);
  }

  want(demand: Demand): void {
    const { mode, leaseMs } = this.#demand.terms;
    const isSame = demand.terms.mode === mode && demand.terms.leaseMs === leaseMs;
    this.#demand = demand;
    if (this.#state === 'queued') this.#lineBallot?.tenure.want(demand);
    // The votes are for the lease of a call that has gone.
    else if (!isSame && this.#ballots.votes.length > 0) this.startAgain();
  }

  ask(): void {
    if (this.#state === 'idle') this.#reach();
    // Whatever else is under way ends with an answer.
    else if (this.#state === 'queued') this.#lineBallot?.tenure.ask();
  }

  askAt(time: number): void {
    this.#after(time, () => this.ask());
  }

  stayFresh(until: number): void {
    if (this.#state === 'queued') this.#lineBallot?.tenure.stayFresh(until);
  }

  /** Asks no more. The ballots are left as they are. */
  stop(): void {
    this.#rest('over');
  }

  // ---------------------------------------------------------------- reaching

  #reach(): void {
    this.#rest('reaching');
    this.#unansweredSince ??= this.#electorate.parts.clock.now();
    this.#reaching.begin(this.#nodeTimeoutMs);
  }

  /** After votes were lost, or not had. */
  startAgain(): void {
    this.#ballots.withdrawAll();
    this.#pauseThen(() => this.#reach());
  }

  #pauseThen(step: () => void): void {
    this.#rest('pausing');
    const { clock, random } = this.#electorate.parts;
    this.#after(clock.now() + this.#nodeTimeoutMs * (0.5 + random()), step);
  }

  // ---------------------------------------------------------------- asking all

  #round(): void {
    this.#rest('round');
    this.#gatherings = 0;
    this.#line = undefined;
    this.#vote({ terms: this.#demand.terms, patientUntil: -Infinity }, this.#nodeTimeoutMs);
  }

  #vote(demand: Demand, ms: number): void {
    this.#voting = new Voting(this.#electorate, this.#ballots, this.#listener);
    this.#voting.begin(demand, ms, () => this.#count());
  }

  onAnswer(ballot: Ballot): void {
    if (this.#state === 'round' || this.#state === 'gathering') this.#count();
    else if (this.#state === 'queued' && ballot.node === this.#line) this.#onLineAnswer(ballot);
    else if (this.#state === 'queued') this.#lineWatch.onAnswer(this.#line);
  }

  /** A vote is lost again, before there was a majority. */
  onVoteLost(ballot: Ballot): void {
    if (ballot.node === this.#line) this.startAgain();
  }

  #count(): void {
    // In a round nobody overtakes those who stand in line.
    const mayWin = this.#state !== 'round' || this.#inLine?.answer === 'yes';
    if (mayWin && this.#tally.suffices(this.#demand.terms)) this.#won();
    else if (this.#state === 'round') this.#countRound();
    else if (this.#voting.timeIsOver) this.#gatheredInVain();
  }

  #countRound(): void {
    const { answers, refusal, votes } = this.#tally;
    const open = this.#voting.timeIsOver ? 0 : this.#tally.open;
    const inLine = this.#inLine;
    if (refusal !== undefined) this.#listener.onFailed(refusal);
    else if (answers + open < this.#electorate.majority) this.startAgain();
    else if (inLine?.answer === 'no') this.#busy(inLine);
    else if (inLine?.answer === 'yes' && votes + open < this.#electorate.majority) {
      this.#line = inLine.node;
      this.#gather();
    } else if (open === 0) this.startAgain();
  }

  get #inLine(): Ballot | undefined {
    return this.#tally.inLine(this.#voting.timeIsOver ? 'pass over' : 'wait');
  }

  // ---------------------------------------------------------------- waiting in line

  #busy({ node, owner }: Ballot): void {
    this.#ballots.withdrawAll();
    this.#tellBusy(owner, () => this.#queue(node));
  }

  #tellBusy(owner: Ballot['owner'], next: () => void): void {
    this.#rest('pausing');
    this.#unansweredSince = undefined;
    this.#listener.onBusy(this.#voting.begunAt, owner);
    // No call may be left that waits, or one that wants other votes: then it has begun again.
    if (this.#state === 'pausing' && this.#next === undefined) next();
  }

  #queue(node: LockNode): void {
    this.#rest('queued');
    this.#line = node;
    this.#listener.ballotAt(node, this.#demand).tenure.ask();
    if (this.#state === 'queued') this.#lineWatch.begin(node, this.#nodeTimeoutMs);
  }

  onPassedOver(voter: LockNode | undefined): void {
    this.#line = voter;
    this.#won();
  }

  /** Who comes to wait for what others have voted aside has the vote of the line. */
  onContended(): void {
    if (this.#state === 'queued') this.#lineWatch.giveWay(this.#line);
  }

  #onLineAnswer(ballot: Ballot): void {
    if (ballot.answer === 'no') this.#listener.onBusy(ballot.askedAt, ballot.owner);
    else if (ballot.answer === 'failed') this.startAgain();
    else {
      this.#gatherings = 0;
      this.#gather();
    }
  }

  // ---------------------------------------------------------------- gathering

  /** The vote of the line is ours. */
  #gather(): void {
    this.#rest('gathering');
    this.#gatherings++;
    const ms = GATHER_TIMEOUTS * this.#nodeTimeoutMs;
    this.#vote({ terms: this.#demand.terms, patientUntil: this.#electorate.parts.clock.now() + ms }, ms);
    if (this.#state === 'gathering') this.#count();
  }

  #gatheredInVain(): void {
    const { answers, refusal } = this.#tally;
    const line = this.#lineBallot;
    if (refusal !== undefined) this.#listener.onFailed(refusal);
    else if (answers < this.#electorate.majority || line === undefined) {
      this.#unansweredSince ??= this.#voting.begunAt;
      this.startAgain();
    } else this.#giveWay(line);
  }

  #giveWay(line: Ballot): void {
    const isLast = this.#gatherings >= GATHERINGS;
    this.#ballots.withdraw(...this.#ballots.all.filter((ballot) => isLast || ballot !== line));
    this.#tellBusy('holdfast', () => (isLast ? this.#queue(line.node) : this.#pauseThen(() => this.#gather())));
  }

  #won(): void {
    const how = this.#state === 'round' ? 'asked' : 'granted';
    this.#line ??= this.#inLine?.node;
    this.#rest('over');
    this.#unansweredSince = undefined;
    this.#listener.onMajority(how);
  }

  // ---------------------------------------------------------------- changing

  #after(time: number, step: () => void): void {
    this.#next?.cancel();
    this.#next = this.#electorate.parts.waits.at(time, () => {
      this.#next = undefined;
      step();
    });
  }

  /** Nothing is planned any more in the state before. */
  #rest(state: State): void {
    this.#next?.cancel();
    this.#next = undefined;
    this.#reaching.stop();
    this.#voting.stop();
    this.#lineWatch.stop();
    this.#state = state;
  }
}
