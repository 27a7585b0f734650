import { lockKeys } from '@holdfast/core';
import { describe, expect, it } from '@jest/globals';
import { LockOperations } from '../src/primitives/lock-operations.js';
import { RecentReleases } from '../src/tenure/recent-releases.js';

const everything = () => true;

/** Where names are kept is said by hand. */
function setUp() {
  const nodes = new Map<string, string>();
  const again: string[] = [];
  const releases = new RecentReleases({ nodeOf: (key) => nodes.get(key) ?? 'first' }, ({ id }) => void again.push(id));
  return {
    releases,
    again,
    move: (name: string, node: string) => void nodes.set(name, node),
    note: (name: string, id: string, sentAt: number) => {
      const operations = new LockOperations(lockKeys(name), { claimMs: 3_000, trust: true });
      releases.note({ operations, id, seq: 2 }, sentAt);
    },
  };
}

describe('what was given back', () => {
  it('is given back once more where another run of the server is there, and only once', () => {
    const { releases, again, note } = setUp();
    note('a', 'me:1', 0);
    note('b', 'me:2', 1);
    releases.onOther((key) => key === 'b');
    expect(again).toEqual(['me:2']);
    releases.onOther(everything);
    expect(again).toEqual(['me:2', 'me:1']);
    releases.onOther(everything);
    expect(again).toHaveLength(2);
  });

  it('is left alone when a connection comes back, unless another server keeps the name', () => {
    const { releases, again, note, move } = setUp();
    note('a', 'me:1', 0);
    note('b', 'me:2', 1);
    releases.onUp(everything);
    expect(again).toEqual([]);
    move('a', 'second');
    releases.onUp(everything);
    expect(again).toEqual(['me:1']);
  });

  it('is left alone when it was longer before the last release than replicas are behind', () => {
    const { releases, again, note } = setUp();
    note('a', 'me:1', 0);
    note('b', 'me:2', 10_000);
    note('c', 'me:3', 10_001);
    releases.onOther(everything);
    expect(again).toEqual(['me:2', 'me:3']);
  });

  it('is forgotten but for the latest 100', () => {
    const { releases, again, note } = setUp();
    for (let number = 0; number < 1_000; number++) note('a', `me:${number}`, number);
    releases.onOther(everything);
    expect(again).toHaveLength(100);
    expect(again).toContain('me:999');
    expect(again).not.toContain('me:899');
  });
});
