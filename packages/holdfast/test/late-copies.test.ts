import { expect, it } from '@jest/globals';
import { barredForMs, longestUnknownLeaseMs } from '../src/tenure/late-copies.js';

it('late copies of a tenure are barred for its longest lease and a minute, and never for longer than Redis can be told', () => {
  expect(barredForMs(25_000)).toBe(85_000);
  expect(barredForMs(2 ** 31)).toBe(2 ** 31);
});

it('a lease that began without our knowing is over after the longest that was asked for, or a claim, and one claim more', () => {
  expect(longestUnknownLeaseMs(25_000, 3_000)).toBe(28_000);
  expect(longestUnknownLeaseMs(25_000, 40_000)).toBe(80_000);
});
