import { describe, expect, it } from '@jest/globals';
import { Stats } from '../src/reports/stats.js';

/** What `stats()` says of leases that had so much left, in seconds, when they were renewed. */
function slackOf(...seconds: readonly number[]) {
  const stats = new Stats();
  for (const left of seconds) stats.slack.record(left * 1_000);
  const { minMs, buckets } = stats.snapshot(0).renewals.slack;
  return { minMs, upTo: (ms: number) => buckets.find(({ upToMs }) => upToMs === ms)?.count };
}

describe('the slack of leases', () => {
  it('tells how many were renewed with less than half of a lease by default, and with less than two thirds', () => {
    const { upTo } = slackOf(19.9, 20.1, 14.9, 15.1, 9);
    expect([upTo(15_000), upTo(20_000)]).toEqual([2, 4]);
  });

  it('tells the least that was ever left', () => {
    expect(slackOf(19.9, 4.5, 19.8).minMs).toBeCloseTo(4_500, -1);
  });
});

describe('durations of minutes', () => {
  it('are within bounds, up to an hour', () => {
    const stats = new Stats();
    for (const minutes of [1.5, 4, 10, 50, 70]) stats.holds.record(minutes * 60_000);
    const { count, buckets } = stats.snapshot(0).holds;
    expect([...buckets.slice(-5).map((bucket) => bucket.count), count]).toEqual([0, 1, 2, 3, 4, 5]);
  });
});
