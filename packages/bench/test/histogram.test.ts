import { describe, expect, it } from '@jest/globals';
import { Histogram } from '../src/measure/histogram.js';

function filled(values: Iterable<number>): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.record(value);
  return histogram;
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

describe('a histogram', () => {
  it.each([
    [0.5, 5_000],
    [0.99, 9_900],
    [0.999, 9_990],
  ])('gives percentile %p within 1 %% of the true one, whatever the order', (share, expected) => {
    const found = filled(upTo(10_000).reverse()).percentile(share) ?? 0;
    expect(Math.abs(found / expected - 1)).toBeLessThan(0.01);
  });

  it('gives no percentile that there are too few values for', () => {
    expect(filled(upTo(99)).percentile(0.99)).toBeUndefined();
    expect(filled(upTo(100)).percentile(0.99)).toBeDefined();
    expect(filled([]).percentile(0.5)).toBeUndefined();
    expect(filled([7]).percentile(0.5)).toBeUndefined();
    expect(filled([7, 7]).percentile(0.5)).toBeCloseTo(7, 1);
  });

  it('is the same after it has crossed a process boundary', () => {
    const histogram = filled(upTo(1_000));
    const sent = Histogram.of(JSON.parse(JSON.stringify(histogram.buckets())));
    expect(sent.total).toBe(1_000);
    expect(sent.percentile(0.9)).toBe(histogram.percentile(0.9));
  });

  it('merges into what it would be had everything been recorded in one', () => {
    const merged = Histogram.merged([filled(upTo(500)), filled(upTo(1_000).slice(500)), filled([])]);
    expect(merged.buckets()).toEqual(filled(upTo(1_000)).buckets());
  });

  it('counts what is too short or too long for it as its shortest or longest', () => {
    const extremes = filled([0, -1, 1e12, Number.POSITIVE_INFINITY]);
    expect(extremes.total).toBe(4);
    expect(extremes.buckets().map(([, count]) => count)).toEqual([2, 2]);
  });
});
