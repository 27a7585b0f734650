import type { Clock } from '@holdfast/watchdog';

/** Calls `run` in the next turn of the event loop. */
export type NextTurn = (run: () => void) => void;

/**
 * Calls `judge` when all that has arrived by now has been read. After a stalled loop timers come first and sockets second: before a
 * server is called silent, the sockets have to be read. Two turns make that certain.
 */
export function whenRead(nextTurn: NextTurn, judge: () => void): void {
  nextTurn(() => nextTurn(judge));
}

/** A timer that is later than this was not due when the loop last turned: it stood still, perhaps before it had written what is waited for. */
export const LATE_MS = 50;

/** Of a limit: the event loop, standing still once, takes no more of it than one part. */
const PARTS = 8;

/** What limits are made of. */
export interface Timing {
  readonly clock: Pick<Clock, 'now'>;
  readonly waits: { at(time: number, run: () => void): { cancel(): void } };
  readonly nextTurn: NextTurn;
}

/**
 * Calls `judge` after `ms`, when all that has arrived by then has been read. For what takes several answers, each of which sets off the next: what was read is
 * not enough after a stalled loop. So time in which it stood still does not count: a part of the limit begins when the one before is seen to be over.
 */
export function whenOver(ms: number, { clock, waits, nextTurn }: Timing, judge: () => void): { cancel(): void } {
  const wait = (leftMs: number): void => {
    const partMs = Math.min(leftMs, Math.ceil(ms / PARTS));
    const next = () => (partMs < leftMs ? wait(leftMs - partMs) : whenRead(nextTurn, judge));
    part = waits.at(clock.now() + partMs, next);
  };
  let part: { cancel(): void };
  wait(ms);
  return { cancel: () => part.cancel() };
}
