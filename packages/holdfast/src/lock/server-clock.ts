/**
 * Server time in terms of the local monotonic clock.
 *
 * A reply that was made at server time S answers a command that was sent at local time t, so S happened at t or later, and a lease that
 * ends at server time E ends at local time t + (E - S) or later. Using t, the earliest possibility, keeps every deadline on the safe side.
 *
 * The pair is dropped when the connection changes (another server may have another clock), and not used when it is old: two clocks whose
 * rates differ by 500 ppm, the most that NTP corrects, are 30 ms apart after a minute, which the drift margin of a claim lease covers.
 */

const LONGEST_AGE_MS = 60_000;

/** See the module comment. */
export class ServerClock {
  readonly #now: () => number;
  #pair: { sentAt: number; serverMs: number } | undefined;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Keeps the freshest pair. */
  note(sentAt: number, serverMs: number): void {
    if (this.#pair === undefined || sentAt >= this.#pair.sentAt) this.#pair = { sentAt, serverMs };
  }

  forget(): void {
    this.#pair = undefined;
  }

  /** The earliest local time at which the server's clock can show `serverMs`. */
  toLocal(serverMs: number): number | undefined {
    if (this.#pair === undefined || this.#now() - this.#pair.sentAt > LONGEST_AGE_MS) return undefined;
    return this.#pair.sentAt + (serverMs - this.#pair.serverMs);
  }
}
