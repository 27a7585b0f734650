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
    expect(clockWithPair().toLocal('a', { expiresAtMs: EPOCH + 3_400, nowMs: EPOCH + 400 })).toBe(4_400);
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
    expect(clock.toLocal('a', { expiresAtMs: EPOCH + 3_510, nowMs: EPOCH + 510 })).toBe(4_510);
  });

  it('forgets one server without the others, and believes no pair that is older than a minute', () => {
    const clock = clockWithPair();
    clock.note('b', 1_400, EPOCH);
    clock.forget('a');
    const lease = { expiresAtMs: EPOCH + 3_000, nowMs: EPOCH + 50 };
    expect(clock.toLocal('a', lease)).toBeUndefined();
    expect(clock.toLocal('b', lease)).toBe(4_400);
    now = 61_401;
    expect(clock.toLocal('b', lease)).toBeUndefined();
  });
});
