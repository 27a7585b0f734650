import { describe, expect, it } from '@jest/globals';
import { shareOf } from '../src/workloads/shared-case.js';

const report = (...served: number[]) => ({
  served,
  sections: 0,
  failures: served.length > 1 ? ['one call'] : [],
  acquire: [[5, 1]] as [number, number][],
  timeline: [],
  mostInside: 1,
  resources: { cpuUs: 0 },
});

describe('two peers on one lock', () => {
  it('have as much as they are entitled to at a share of 1, and together 2', () => {
    const [few, many] = [
      [report(10, 10), report(20)],
      [report(60), report(60)],
    ];
    const own = shareOf(few, many, 2_000);
    expect(own.figures).toEqual({ opsPerSecond: 20, shareOfFair: 0.5, fairness: 1 });
    expect(own.failures).toEqual(['one call']);
    expect(own.latencies.acquire?.total).toBe(2);
    expect(shareOf(many, few, 2_000).figures.shareOfFair).toBe(1.5);
  });

  it('have no share of a lock that nobody got', () => {
    expect(shareOf([report(0)], [report(0)], 1_000).figures).not.toHaveProperty('shareOfFair');
  });
});
