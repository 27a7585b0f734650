/**
 * Server time in terms of the local monotonic clock.
 *
 * A reply that was made at server time S answers a command that was sent at local time t, so S happened at t or later, and a lease that
 * ends at server time E ends at local time t + (E - S) or later. Using t, the earliest possibility, keeps every deadline on the safe side.
 *
 * The two clocks may run at rates that differ by 1 % (docs/semantics.md, section 6). The drift margin of the lease covers that from now to its end. What may have come about
 * since the pair was taken comes off here: a waiter asks every second or two, so that its pair is young and little comes off.
 *
 * Each server has a clock of its own, so there is a pair (t, S) for each. It is dropped when the connection changes (another server may be
 * at its other end), and not used when it is older than a minute.
 *
 * A lock may have moved to another server without our knowing. Its message tells when it was sent, by the clock of its sender: if that lies
 * in the future by the pair we have, beyond what the margin covers, the pair belongs to another clock. A sender whose clock is behind only
 * makes the deadline earlier.
 */

const LONGEST_AGE_MS = 60_000;
/** Of what a grant lasts, the share that the drift margin of its lease covers. */
const COVERED_SHARE = 0.01;
/** What the clock of a server may gain on ours, for each millisecond of ours. */
const GAIN = 1 / 99;

/** An end in server time, and when the same server said so. */
export interface ServerInstant {
  readonly expiresAtMs: number;
  readonly nowMs: number;
}

/** See the module comment. */
export class ServerClock {
  readonly #now: () => number;
  readonly #pairs = new Map<string, { sentAt: number; serverMs: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Keeps the freshest pair of a server. */
  note(node: string, sentAt: number, serverMs: number): void {
    const known = this.#pairs.get(node);
    if (known === undefined || sentAt >= known.sentAt) this.#pairs.set(node, { sentAt, serverMs });
  }

  forget(node: string): void {
    this.#pairs.delete(node);
  }

  /** The earliest local time at which the clock of `node` can show `expiresAtMs`; undefined when that is not known. */
  toLocal(node: string | undefined, { expiresAtMs, nowMs }: ServerInstant): number | undefined {
    const pair = node === undefined ? undefined : this.#pairs.get(node);
    const now = this.#now();
    if (pair === undefined || now - pair.sentAt > LONGEST_AGE_MS) return undefined;
    const sinceMs = now - pair.sentAt;
    const earliest = (serverMs: number) => pair.sentAt + (serverMs - pair.serverMs) - GAIN * sinceMs;
    return earliest(nowMs) - now > COVERED_SHARE * (expiresAtMs - nowMs) ? undefined : earliest(expiresAtMs);
  }
}
