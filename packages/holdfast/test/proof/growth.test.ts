import { describe, expect, it } from '@jest/globals';
import { growthPerPart } from './growth-verdict.js';

describe('the growth of samples', () => {
  it('is nothing when they move up and down, and after an early or a late step', () => {
    expect(growthPerPart([5, 7, 5, 6, 5, 7, 5, 6, 5])).toBeCloseTo(0);
    expect(growthPerPart([5, 5, 500, 500, 500, 500, 500, 500, 500])).toBe(0);
    expect(growthPerPart([5, 5, 5, 5, 5, 5, 5, 500, 500])).toBe(0);
  });

  it('is what each part adds, through noise far larger than that', () => {
    expect(growthPerPart([0, 10, 20, 30])).toBe(10);
    expect(growthPerPart([0, 110, 20, 30, 140, 50, -40, 70, 80])).toBeCloseTo(10);
  });
});
