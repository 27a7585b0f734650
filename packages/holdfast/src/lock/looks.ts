/**
 * How many commands messages may cause.
 *
 * Whoever may publish to an inbox can say anything there, as often as it likes, and most of what is said means "ask Redis". A waiter asks
 * by itself in each re-ask period, so a message only makes that sooner: beyond a few in a period it is passed over, and a flood costs no more
 * than those few.
 */

/** A real message or two may come between two asks, e.g. a notice and a grant of a newer version. */
const MOST_LOOKS = 2;

/** See the module comment; one for each tenure. */
export class Looks {
  readonly #periodMs: number;
  #since = Number.NEGATIVE_INFINITY;
  #looks = 0;

  constructor(periodMs: number) {
    this.#periodMs = periodMs;
  }

  /** Whether a message that came at clock time `now` may cause a command. */
  allow(now: number): boolean {
    if (now - this.#since >= this.#periodMs) {
      this.#since = now;
      this.#looks = 0;
    }
    return this.#looks++ < MOST_LOOKS;
  }
}
