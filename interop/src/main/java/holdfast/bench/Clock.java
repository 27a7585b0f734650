package holdfast.bench;

import java.util.concurrent.locks.LockSupport;

/** The machine's monotonic clock, which Node reads too ({@code process.hrtime}). */
final class Clock {
  private Clock() {}

  static double nowMs() {
    return System.nanoTime() / 1e6;
  }

  static void sleepUntil(double ms) {
    for (double left = ms - nowMs(); left > 0; left = ms - nowMs()) LockSupport.parkNanos((long) (left * 1e6));
  }
}
