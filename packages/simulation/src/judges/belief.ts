/** Until when a holder believes that it holds: what its own clock says, also where its process is stopped and cannot look. */

import type { WorldProcess } from '../world/process.js';

/** What a caller has, as judges see it. */
export interface Held {
  readonly process: WorldProcess;
  /** Undefined: it has no object to ask. */
  readonly hold: { remainingMs(): number } | undefined;
  /** World time. */
  readonly since: number;
  /** On the clock of its process. */
  readonly sinceLocal: number;
}

/** A granularity of `remainingMs`, and of timers. */
export const TIMER_GRACE_MS = 2.5;

export function believed(held: Held, now: number): boolean {
  // One without an object is judged at its end. Of a process that computes, the code that runs now may have got further than the world.
  return held.hold !== undefined && !held.process.gone && held.since <= now && now < endOf(held);
}

/** World time at which a hold is over by its own clock; that of its beginning when it is known to be lost. */
export function endOf({ process, hold, sinceLocal, since }: Held): number {
  const leftMs = process.seenAt(sinceLocal, () => hold?.remainingMs() ?? 0);
  return leftMs <= 0 ? since : process.worldTimeOf(sinceLocal + leftMs);
}
