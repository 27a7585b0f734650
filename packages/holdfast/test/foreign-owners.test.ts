import { expect, it } from '@jest/globals';
import { ForeignOwners } from '../src/tenure/foreign-owners.js';

function setUp() {
  let now = 5_000;
  const clock = { now: () => now, setTimer: () => ({}) as never, clearTimer: () => undefined };
  return { owners: new ForeignOwners(clock), pass: (ms: number) => (now += ms) };
}

it('a lock counts as shared with other languages for ten seconds after the last foreign owner that was seen', () => {
  const { owners, pass } = setUp();
  expect(owners.has('a')).toBe(false);
  owners.note('a');
  pass(9_999);
  expect([owners.has('a'), owners.has('b')]).toEqual([true, false]);
  owners.note('a');
  pass(9_999);
  expect(owners.has('a')).toBe(true);
  pass(1);
  expect(owners.has('a')).toBe(false);
});

it('of a thousand locks that are shared at once the one whose owner was seen longest ago is forgotten first', () => {
  const { owners } = setUp();
  const keys = Array.from({ length: 1_000 }, (_, i) => `lock ${i}`);
  for (const key of keys) owners.note(key);
  owners.note('lock 0');
  owners.note('one more');
  expect(keys.filter((key) => !owners.has(key))).toEqual(['lock 1']);
  expect(owners.has('one more')).toBe(true);
});
