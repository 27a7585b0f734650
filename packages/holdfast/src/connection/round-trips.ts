/** Before anything is known. */
export const FIRST_ROUND_TRIP_MS = 1;
/** Odd, so that one of them is in the middle. */
const REMEMBERED = 9;

/**
 * How long a command takes to its reply, as a rule: the median of the last nine. A turn of the lock is measured by it, and a server that stood still for
 * once must not make the next turns longer, as it would with a mean.
 */
export class RoundTrips {
  readonly #last = new Float64Array(REMEMBERED);
  #count = 0;
  /** Of those remembered; undefined when one has come since. */
  #median: number | undefined = FIRST_ROUND_TRIP_MS;

  took(ms: number): void {
    this.#last[this.#count++ % REMEMBERED] = ms;
    this.#median = undefined;
  }

  /** Milliseconds. */
  get typicalMs(): number {
    this.#median ??= medianOf(this.#last.slice(0, Math.min(this.#count, REMEMBERED)));
    return this.#median;
  }
}

function medianOf(values: Float64Array): number {
  return values.sort()[values.length >> 1] as number;
}
