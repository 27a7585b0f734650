import { type Clock, systemClock } from '@holdfast/watchdog';

/** Timers that are earlier than that are none of the process: those may be early by a millisecond. */
const EARLY_MS = 50;

/**
 * The clock of the process, which fake timers may have replaced in part: those that move timers and leave `performance` alone let no lease and no wait
 * end, and a test would stand still without a word.
 *
 * @param onHalf - called with each timer that shows it.
 */
export function processClock(onHalf: () => void): Clock {
  const clock = systemClock();
  return {
    now: () => clock.now(),
    setTimer(run, delayMs) {
      const setAt = clock.now();
      return clock.setTimer(() => {
        const passedMs = clock.now() - setAt;
        // It is less than nothing where fake timers were installed meanwhile.
        if (passedMs >= 0 && passedMs < delayMs - EARLY_MS) onHalf();
        run();
      }, delayMs);
    },
    clearTimer: (timer) => clock.clearTimer(timer),
  };
}
