import { expect, it } from '@jest/globals';
import { LateCopies } from '../src/tenure/late-copies.js';

it('a tenure leaves a tombstone only where a copy of a command may still arrive, for as long as the longest lease it asked for and a minute', () => {
  const copies = new LateCopies(10_000);
  expect(copies.tombstoneMs).toBe(0);
  expect(copies.barredForMs).toBe(70_000);
  copies.asksFor(25_000);
  copies.asksFor(5_000);
  copies.doubt();
  expect(copies.tombstoneMs).toBe(85_000);
  expect(copies.longestMs(3_000)).toBe(28_000);
  expect(copies.longestMs(40_000)).toBe(80_000);
});
