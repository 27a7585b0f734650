/**
 * How far messages to one tenure are believed, and what they have said.
 *
 * A program that may publish to an inbox can say anything there, as often as it likes.
 * - A grant is believed because the tenure's id cannot be guessed and stands nowhere but in the queue: so only the first that names it is, and
 *   none once messages may have been missed, for other programs may have heard the id.
 * - All else means "ask Redis". A waiter asks by itself in each re-ask period, so a message only makes that sooner: beyond a few in a period it
 *   is passed over, and a flood costs no more than those few.
 */

/** A real message or two may come between two asks, e.g. a notice and a grant of a newer version. */
const MOST_LOOKS = 2;

/** See the module comment; one for each tenure. */
export class MessageTrust {
  readonly #periodMs: number;
  /** Only the server can have named the tenure in a message so far. */
  #secret = true;
  /** Clock time at which a message said that the tenure was forced out. */
  #forcedAt: number | undefined;
  #periodSince: number | undefined;
  #looks = 0;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** What is said to the tenure from now on, other programs may hear. */
  expose(): void {
    this.#secret = false;
  }

  /** A message says that the tenure was granted. Answers whether that may be believed. */
  grant(): boolean {
    const believed = this.#secret;
    this.#secret = false;
    return believed;
  }

  /** A message says that the tenure was forced out. */
  force(now: number): void {
    this.#forcedAt = now;
  }

  /** Whether a message has said since clock time `time` that it was forced out. */
  forcedSince(time: number): boolean {
    return this.#forcedAt !== undefined && this.#forcedAt >= time;
  }

  /** Whether a message that came at clock time `now` may cause a command. */
  mayLook(now: number): boolean {
    if (this.#periodSince === undefined || now - this.#periodSince >= this.#periodMs) {
      this.#periodSince = now;
      this.#looks = 0;
    }
    return this.#looks++ < MOST_LOOKS;
  }
}
