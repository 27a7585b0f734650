import { describe, expect, it } from '@jest/globals';
import { ServerClock } from '../src/tenure/server-clock.js';

/** Server time, far from local time. */
const EPOCH = 1_700_000_000_000;

describe('the clock of a server', () => {
  let now = 1_000;
  const clockWithPair = () => {
    now = 1_000;
    const clock = new ServerClock(() => now);
    clock.note('a', 1_000, EPOCH);
    now = 1_500;
    return clock;
  };

  it('dates an end by the pair of that server', () => {
    expect(clockWithPair().toLocal('a', { expiresAtMs: EPOCH + 3_400, nowMs: EPOCH + 400 })).toBeCloseTo(4_395, 0);
  });

  it('dates no end later than it is while the rates of the clocks differ by a hundredth, however old the pair is', () => {
    for (const [localMs, serverMs] of [
      [990, 1_000],
      [1_000, 1_000],
      [1_010, 1_000],
    ] as const) {
      const clock = clockWithPair();
      for (const age of [0, 1, 10, 59]) {
        // The message comes at once, or when half of what it gives is over.
        for (const lateMs of [0, 1_500]) {
          const sent = age * serverMs;
          now = 1_000 + ((sent + lateMs) * localMs) / serverMs;
          const end = clock.toLocal('a', { expiresAtMs: EPOCH + sent + 3_000, nowMs: EPOCH + sent }) ?? 0;
          // The drift margin of a lease.
          expect(end - (end - now) / 100).toBeLessThanOrEqual(1_000 + ((sent + 3_000) * localMs) / serverMs);
        }
      }
    }
  });

  it('says nothing of a server it has not heard of, nor of an unknown one', () => {
    const clock = clockWithPair();
    expect(clock.toLocal('b', { expiresAtMs: EPOCH + 3_400, nowMs: EPOCH + 400 })).toBeUndefined();
    expect(clock.toLocal(undefined, { expiresAtMs: EPOCH + 3_400, nowMs: EPOCH + 400 })).toBeUndefined();
  });

  it('believes no message from the future: it is of a server with another clock', () => {
    const clock = clockWithPair();
    expect(clock.toLocal('a', { expiresAtMs: EPOCH + 3_600, nowMs: EPOCH + 600 })).toBeUndefined();
    // Milliseconds are rounded, and rates differ a little.
    expect(clock.toLocal('a', { expiresAtMs: EPOCH + 3_510, nowMs: EPOCH + 510 })).toBeCloseTo(4_505, 0);
  });

  it('forgets one server without the others, and believes no pair that is older than a minute', () => {
    const clock = clockWithPair();
    clock.note('b', 1_400, EPOCH);
    clock.forget('a');
    const lease = { expiresAtMs: EPOCH + 3_000, nowMs: EPOCH + 50 };
    expect(clock.toLocal('a', lease)).toBeUndefined();
    expect(clock.toLocal('b', lease)).toBeCloseTo(4_399, 0);
    now = 61_401;
    expect(clock.toLocal('b', lease)).toBeUndefined();
  });
});
