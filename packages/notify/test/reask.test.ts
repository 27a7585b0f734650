import { describe, expect, it } from '@jest/globals';
import { assertTimings, nextAskDelayMs } from '../src/index.js';

const least = () => 0;
const most = () => 1 - Number.EPSILON;

describe('nextAskDelayMs', () => {
  it('is the re-ask period while the lease outlasts it, for every place in the queue and every jitter', () => {
    for (const position of [0, 1, 50]) {
      for (const random of [least, most]) {
        expect(nextAskDelayMs({ reaskMs: 1_000, pttlMs: 30_000, position, random })).toBe(1_000);
        expect(nextAskDelayMs({ reaskMs: 1_000, position, random })).toBe(1_000);
      }
    }
  });

  it('never exceeds the re-ask period, so that R + round trip < C stays true', () => {
    for (let pttlMs = 0; pttlMs <= 1_200; pttlMs += 1) {
      expect(nextAskDelayMs({ reaskMs: 1_000, pttlMs, position: 8, random: most })).toBeLessThanOrEqual(1_000);
    }
  });

  it('lets the head ask 1 to 25 ms after the lease it was told about has run out', () => {
    expect(nextAskDelayMs({ reaskMs: 1_000, pttlMs: 400, position: 0, random: least })).toBe(401);
    expect(nextAskDelayMs({ reaskMs: 1_000, pttlMs: 400, position: 0, random: most })).toBe(425);
    expect(nextAskDelayMs({ reaskMs: 1_000, pttlMs: 0, position: 0, random: least })).toBe(1);
  });

  it('asks after the end of the lease in the order of the queue, and at most 200 ms later than the head', () => {
    const delays = [0, 1, 2, 7, 8, 9, 1_000].map((position) =>
      nextAskDelayMs({ reaskMs: 1_000, pttlMs: 400, position, random: least }),
    );
    expect(delays).toEqual([401, 426, 451, 576, 601, 601, 601]);
  });

  it('never polls, however small the period is configured', () => {
    for (const reaskMs of [0, -1, 1, 4]) {
      expect(nextAskDelayMs({ reaskMs, pttlMs: 30_000, position: 0, random: least })).toBe(5);
    }
  });

  it('makes a usable delay of a remaining lease that makes no sense', () => {
    expect(nextAskDelayMs({ reaskMs: 1_000, pttlMs: -2, position: -1, random: least })).toBe(1);
    expect(nextAskDelayMs({ reaskMs: 1_000, pttlMs: Infinity, position: 0, random: least })).toBe(1_000);
  });
});

describe('assertTimings', () => {
  it('accepts a re-ask period that leaves 250 ms of the claim lease, and refuses one that does not', () => {
    expect(() => assertTimings({ reaskMs: 1_500, claimLeaseMs: 3_000 })).not.toThrow();
    expect(() => assertTimings({ reaskMs: 2_749, claimLeaseMs: 3_000 })).not.toThrow();
    expect(() => assertTimings({ reaskMs: 2_750, claimLeaseMs: 3_000 })).toThrow(RangeError);
  });
});
