import { describe, expect, it } from '@jest/globals';
import { seededRandom } from '@holdfast/testkit';
import { tendencyOf, trendOf } from '../../src/soak/judge/trend.js';

/** Noise around a line, as heaps have it. */
function readings(perMinute: number, noise: number, seed: number) {
  const random = seededRandom(seed);
  return Array.from({ length: 50 }, (_, i) => ({
    minute: i / 3,
    value: 1_000 + perMinute * (i / 3) + noise * (random.next() - 0.5),
  }));
}

describe('a trend', () => {
  it('is the slope of a straight line, exactly', () => {
    const trend = trendOf(readings(2.5, 0, 1));
    expect(trend.perMinute).toBeCloseTo(2.5, 9);
    expect(trend.spread).toBeCloseTo(0, 6);
  });

  it('has the standard error of the textbook', () => {
    // y = 1, 3, 2, 5 at x = 0, 1, 2, 3: slope 1.1, residual variance 1.35, sum of squares 5; t for 2 degrees is 4.303.
    const trend = trendOf([1, 3, 2, 5].map((value, minute) => ({ minute, value })));
    expect(trend.perMinute).toBeCloseTo(1.1, 9);
    expect(trend.spread).toBeCloseTo(4.303 * Math.sqrt(1.35 / 5), 9);
  });

  it('holds the true slope within its spread in about 95 of 100 runs', () => {
    const right = Array.from({ length: 200 }, (_, seed) => trendOf(readings(1, 50, seed))).filter(
      ({ perMinute, spread }) => Math.abs(perMinute - 1) <= spread,
    ).length;
    expect(right).toBeGreaterThan(180);
  });

  it('is flat, grows, or is not decided', () => {
    expect(tendencyOf(trendOf(readings(0, 10, 3)), 1)).toBe('flat');
    expect(tendencyOf(trendOf(readings(-5, 10, 3)), 1)).toBe('flat');
    expect(tendencyOf(trendOf(readings(3, 10, 3)), 1)).toBe('grows');
    expect(tendencyOf(trendOf(readings(0, 500, 3)), 1)).toBe('undecided');
  });

  it('cannot be made of two readings, or of one moment', () => {
    expect(() =>
      trendOf([
        { minute: 0, value: 1 },
        { minute: 1, value: 1 },
      ]),
    ).toThrow(RangeError);
    expect(() => trendOf([1, 2, 3].map((value) => ({ minute: 1, value })))).toThrow(RangeError);
  });
});
