import { describe, expect, it } from '@jest/globals';
import { growth } from '../src/measure/growth.js';
import { fairness, median, pairedRatio, summary } from '../src/measure/statistics.js';

describe('rounds', () => {
  it('have the middle one, or the middle between two, as their median', () => {
    expect(median([9, 1, 5])).toBe(5);
    expect(median([9, 1, 5, 6])).toBe(5.5);
    expect(() => median([])).toThrow(RangeError);
  });

  it('are summed up without being changed', () => {
    const rounds = [3, 1, 2];
    expect(summary(rounds)).toEqual({ median: 2, low: 1, high: 3 });
    expect(rounds).toEqual([3, 1, 2]);
  });

  it('are compared side by side, so that a slow spell that hits both hides nothing', () => {
    expect(pairedRatio([100, 10, 98], [50, 5, 49])).toBe(2);
    expect(pairedRatio([100, 10], [50])).toBe(2);
    expect(pairedRatio([100], [0])).toBeUndefined();
    expect(pairedRatio([], [])).toBeUndefined();
  });
});

describe('fairness', () => {
  it('is 1 when all are served alike and 0 when somebody gets nothing', () => {
    expect(fairness([7, 7, 7])).toBe(1);
    expect(fairness([5, 10])).toBe(0.5);
    expect(fairness([0, 10])).toBe(0);
  });

  it('of nobody served is unknown', () => {
    expect(fairness([0, 0])).toBeUndefined();
    expect(fairness([])).toBeUndefined();
  });
});

describe('growth', () => {
  const along = (f: (x: number) => number) => growth([2, 4, 8, 16].map((x) => ({ x, y: f(x) })));

  it('finds the exponent of a power law, whatever its factor', () => {
    expect(along((x) => 3 * x ** 1.5)?.exponent).toBeCloseTo(1.5, 10);
  });

  it.each([
    ['flat', () => 2],
    ['linear', (x: number) => 5 * x],
    ['falling', (x: number) => 1 / x],
    ['less than linear', Math.sqrt],
    ['more than linear', (x: number) => x ** 2],
  ])('calls %s what is', (shape, f) => {
    expect(along(f)?.shape).toBe(shape);
  });

  it('needs two different points', () => {
    expect(growth([{ x: 2, y: 1 }])).toBeUndefined();
    expect(growth([2, 2].map((x) => ({ x, y: x })))).toBeUndefined();
    expect(
      growth([
        { x: 2, y: 1 },
        { x: 4, y: 0 },
      ]),
    ).toBeUndefined();
  });
});
