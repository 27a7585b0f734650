/** Neighbouring buckets differ by 1 %: no percentile is off by more. */
const GROWTH = 1.01;
const LOG_GROWTH = Math.log(GROWTH);
const SMALLEST_US = 0.1;
/** Up to an hour; what is longer counts as that. */
const BUCKETS = Math.ceil(Math.log(3.6e9 / SMALLEST_US) / LOG_GROWTH);

/** Bucket and count of what is not empty: how a histogram crosses process and file boundaries. */
export type Buckets = (readonly [bucket: number, count: number])[];

/** Latencies in microseconds, in buckets 1 % wide, so that recording costs nothing that would show and rounds can be merged. */
export class Histogram {
  readonly #counts = new Uint32Array(BUCKETS);
  #total = 0;

  static of(buckets: Buckets): Histogram {
    const histogram = new Histogram();
    for (const [bucket, count] of buckets) histogram.#add(bucket, count);
    return histogram;
  }

  /** All of them in one. */
  static merged(histograms: Iterable<Histogram>): Histogram {
    return Histogram.of([...histograms].flatMap((histogram) => histogram.buckets()));
  }

  get total(): number {
    return this.#total;
  }

  record(microseconds: number): void {
    const bucket = Math.floor(Math.log(Math.max(microseconds, SMALLEST_US) / SMALLEST_US) / LOG_GROWTH);
    this.#add(Math.min(BUCKETS - 1, bucket), 1);
  }

  /**
   * The value, in microseconds, that `share` (0 to 1) of all values do not exceed. Undefined when there are too few values to tell: a
   * 99th percentile needs 100.
   */
  percentile(share: number): number | undefined {
    if (this.#total === 0 || this.#total * (1 - share) < 1 - 1e-9) return undefined;
    let left = Math.ceil(this.#total * share - 1e-9);
    for (let bucket = 0; bucket < BUCKETS; bucket++) {
      left -= this.#counts[bucket] ?? 0;
      if (left <= 0) return SMALLEST_US * GROWTH ** (bucket + 0.5);
    }
    return undefined;
  }

  buckets(): Buckets {
    const filled: Buckets = [];
    this.#counts.forEach((count, bucket) => {
      if (count > 0) filled.push([bucket, count]);
    });
    return filled;
  }

  #add(bucket: number, count: number): void {
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + count;
    this.#total += count;
  }
}
