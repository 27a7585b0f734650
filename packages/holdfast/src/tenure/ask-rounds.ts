/**
 * Rounds of asks: waiting tenures of one client that ask again because their period is over do so together.
 *
 * A process may wait for a thousand locks. Each of its tenures asks every R, and each of these asks alone would be a command, while one command may
 * have many (ADR 51). So when one is due, those that are due soon go with it: an eighth of R early at most, and never late, because
 * R is what bounds the cost of a lost message. Those of one round are answered together and are due together from then on, so that this costs
 * each of them one early ask and no more, and of rounds that do not grow any more there are eight in a period at most.
 *
 * Only for asks whose whole period has passed. The end of a lease is another appointment: to ask before it is of no use, and the jitter behind it keeps
 * processes apart that were told the same end.
 */

import { type Appointment, type Clock, type HeapItem, IndexedHeap, type Schedule, UNPLACED } from '@holdfast/watchdog';
import type { CommandSender } from '../connection/command-sender.js';

/** What part of the period an ask may be early. */
const EARLY_PART = 1 / 8;
/** With so many in a round none goes early: what is made and sent in one turn of the event loop keeps everything else waiting. */
const ROUND_IS_FULL = 256;

/** What can be called off. */
export type Cancellable = Pick<Appointment, 'cancel'>;

/** See the module comment; one for the way to one Redis. */
export class AskRounds {
  readonly #clock: Clock;
  readonly #waits: Schedule;
  readonly #sender: Pick<CommandSender, 'together'>;
  readonly #earlyMs: number;
  readonly #due = new IndexedHeap<Due>();
  /** When the first is due, or before. */
  #next: Appointment | undefined;

  constructor(parts: {
    readonly clock: Clock;
    readonly waits: Schedule;
    readonly sender: Pick<CommandSender, 'together'>;
    readonly reaskMs: number;
  }) {
    this.#clock = parts.clock;
    this.#waits = parts.waits;
    this.#sender = parts.sender;
    this.#earlyMs = parts.reaskMs * EARLY_PART;
  }

  /** Runs `ask` once, at the clock time `time` at the latest. It ends a whole period that has begun now. */
  at(time: number, ask: () => void): Cancellable {
    const due = new Due(this, ask);
    this.#due.put(due, time);
    this.#plan();
    return due;
  }

  /** It is not due any more. */
  remove(due: Due): void {
    this.#due.remove(due);
    // One that fires for nothing costs nothing. For no one it must not keep the process alive.
    if (this.#due.size === 0) this.#next?.cancel();
  }

  #plan(): void {
    const first = this.#due.first;
    if (first === undefined) return;
    if (this.#next === undefined) this.#next = this.#waits.at(first.time, () => this.#round());
    else this.#next.move(first.time);
  }

  #round(): void {
    const now = this.#clock.now();
    try {
      this.#sender.together(() => this.#askAll(now));
    } finally {
      // Also when one has thrown: the others are due all the same.
      this.#plan();
    }
  }

  #askAll(now: number): void {
    let asked = 0;
    for (let first = this.#due.first; first !== undefined; first = this.#due.first) {
      const isLucky = asked > 0 && asked < ROUND_IS_FULL && first.time - this.#earlyMs <= now;
      if (first.time > now && !isLucky) return;
      this.#due.remove(first);
      asked++;
      first.ask();
    }
  }
}

/** One ask that is to come. */
class Due implements HeapItem, Cancellable {
  time = Infinity;
  place = UNPLACED;
  readonly ask: () => void;
  readonly #rounds: AskRounds;

  constructor(rounds: AskRounds, ask: () => void) {
    this.#rounds = rounds;
    this.ask = ask;
  }

  cancel(): void {
    this.#rounds.remove(this);
  }
}
