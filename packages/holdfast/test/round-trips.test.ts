import { describe, expect, it } from '@jest/globals';
import { FIRST_ROUND_TRIP_MS, RoundTrips } from '../src/connection/round-trips.js';

function after(...tookMs: readonly number[]): number {
  const roundTrips = new RoundTrips();
  for (const ms of tookMs) roundTrips.took(ms);
  return roundTrips.typicalMs;
}

describe('what a round trip takes as a rule', () => {
  it('is a guess before the first', () => {
    expect(after()).toBe(FIRST_ROUND_TRIP_MS);
    expect(after(7)).toBe(7);
  });

  it('is not changed by a server that stood still: neither at once nor later', () => {
    const usual = [2, 3, 2, 3, 2, 3, 2, 3, 2];
    const stall = [4_000, 3_998, 3_997];
    expect(after(...usual, ...stall)).toBeLessThanOrEqual(3);
    for (let later = 1; later <= 9; later++) {
      expect(after(...usual, ...stall, ...usual.slice(0, later))).toBeLessThanOrEqual(3);
    }
  });

  it('follows the network within nine of them, both ways', () => {
    const near = Array.from({ length: 20 }, () => 1);
    const far = Array.from({ length: 5 }, () => 80);
    expect(after(...near, ...far)).toBe(80);
    expect(after(...far, ...near.slice(0, 5))).toBe(1);
  });
});
