import { describe, expect, it } from '@jest/globals';
import { mostWaiters, sharersOf, sharesOf } from '../../src/soak/population.js';

describe.each([
  ['eight processes', 8, 10_000],
  ['two processes', 2, 1_000],
  ['five processes', 5, 4_000],
])('the population of %s', (_, processes, locks) => {
  const shares = sharesOf(locks, processes);

  it('holds every lock once and has as many waiters as locks', () => {
    expect(shares.flatMap(({ holdsFirst }) => holdsFirst).sort((a, b) => a - b)).toEqual(
      Array.from({ length: locks }, (__, lock) => lock),
    );
    expect(shares.flatMap(({ waitsFirst }) => waitsFirst)).toHaveLength(locks);
  });

  it('never lets a process wait for a lock that it shares twice', () => {
    for (let lock = 0; lock < locks; lock++) {
      const sharers = sharersOf(lock, processes);
      expect(new Set(sharers).size).toBe(sharers.length);
      expect(sharers.length).toBeLessThanOrEqual(1 + mostWaiters(processes));
      expect(Math.max(...sharers)).toBeLessThan(processes);
    }
  });

  it('gives every process a like part', () => {
    for (const { holdsFirst, waitsFirst } of shares) {
      expect(holdsFirst.length / (locks / processes)).toBeCloseTo(1, 1);
      expect(waitsFirst.length / (locks / processes)).toBeCloseTo(1, 1);
    }
  });
});
