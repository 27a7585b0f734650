/**
 * The operations of a tenure that change its hold count or lease by number: again, handoff, release.
 *
 * Each has the next sequence number and keeps it when it is sent again, so that a copy changes nothing. They run one after the other: the
 * server only remembers the last number, and a copy of an older one would pass for done.
 */

/** Runs operations in order; see the module comment. */
export class NumberedSteps {
  /** The grant was number 1. */
  #seq = 1;
  #last: Promise<unknown> | undefined;

  /** No operation is under way. */
  get settled(): boolean {
    return this.#last === undefined;
  }

  /** Runs `operation` with the next number when all before it have settled. It must not reject. */
  async run<T>(operation: (seq: number) => Promise<T>): Promise<T> {
    const mine = this.#last === undefined ? operation(++this.#seq) : this.#after(this.#last, operation);
    this.#last = mine;
    try {
      return await mine;
    } finally {
      if (this.#last === mine) this.#last = undefined;
    }
  }

  /** Runs the last `operation` of all: nothing waits for its end. */
  last<T>(operation: (seq: number) => Promise<T>): Promise<T> {
    return this.#last === undefined ? operation(++this.#seq) : this.#after(this.#last, operation);
  }

  async #after<T>(before: Promise<unknown>, operation: (seq: number) => Promise<T>): Promise<T> {
    await before;
    return operation(++this.#seq);
  }
}
