/** How late a port may settle before its promise counts as broken. */
const GRACE_MS = 50;

/** One sending of a batch. */
export interface Attempt {
  readonly startedAt: number;
  /** From here on no outcome is expected any more. */
  readonly giveUpAt: number;
  /** Share of the back-off to wait after a failure. One for the batch, so that it stays together. */
  readonly jitter: number;
}

/** An attempt that is sent at `startedAt` and has to be settled by `until`. */
export function newAttempt(startedAt: number, until: number, random: () => number): Attempt {
  return { startedAt, giveUpAt: until + GRACE_MS, jitter: 0.5 + random() / 2 };
}
