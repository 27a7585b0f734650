const FIRST_BACKOFF_MS = 50;
/** Whatever is answered, a lease is not asked about more often, unless it has hardly longer to live. */
const MIN_PAUSE_MS = 10;

/**
 * When a lease is to be renewed next: after a confirmation one interval later, after a failure after a back-off that doubles up to a
 * quarter of the interval. In the last quarter of that time the renewal may join a batch that is sent anyway.
 */
export class RenewalPlan {
  /** Absent: not at all. */
  #dueAt: number | undefined;
  /** How much earlier it may be. Both are whole numbers, as in `validity.ts`. */
  #slackMs = 0;
  #failures = 0;

  /** Clock time at which the renewal has to be sent. */
  get dueAt(): number {
    return this.#dueAt ?? Infinity;
  }

  /** Clock time from which it may be sent with others. */
  get joinFrom(): number {
    return this.dueAt - this.#slackMs;
  }

  /** So long after that time, as one interval after a confirmation. `leftMs`: from then to the deadline. */
  follow(from: number, wantedMs: number, leftMs: number): void {
    const delayMs = Math.max(wantedMs, Math.min(MIN_PAUSE_MS, leftMs / 3));
    this.#dueAt = Math.ceil(from + delayMs);
    this.#slackMs = Math.floor(delayMs / 4);
  }

  /** Again soon. `jitter`: share of the back-off to wait, in (0, 1]. `leftMs`: to the deadline. */
  retry(now: number, intervalMs: number, jitter: number, leftMs: number): void {
    const backoffMs = Math.min(FIRST_BACKOFF_MS * 2 ** this.#failures, intervalMs / 4) * jitter;
    this.#failures++;
    this.follow(now, backoffMs, leftMs);
  }

  /** Not at all, until it is hastened or confirmed. */
  rest(): void {
    this.#dueAt = undefined;
    this.#slackMs = 0;
  }

  /** At `time`, unless it is planned for earlier. */
  hasten(time: number): void {
    this.#dueAt = Math.floor(Math.min(this.dueAt, time));
  }

  /** The next failure is the first. */
  forgive(): void {
    this.#failures = 0;
  }
}
