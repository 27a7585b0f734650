import { lockKeys } from '@holdfast/core';
import { describe, expect, it } from '@jest/globals';
import { LockOperations } from '../src/primitives/lock-operations.js';
import { withdrawalOf } from '../src/tenure/last-step.js';
import { RecentReleases } from '../src/tenure/recent-releases.js';
import { giveBackAgain } from '../src/tenure/serving.js';

const everything = () => true;
const nextTurn = () => new Promise((resolve) => void setImmediate(resolve));

/** Where names are kept is said by hand. */
function setUp(answer = () => Promise.resolve()) {
  const nodes = new Map<string, string>();
  const again: string[] = [];
  const topology = { nodeOf: (key: string) => nodes.get(key) ?? 'first', ready: true, takesLocks: true };
  const releases = new RecentReleases(topology, ({ id }) => {
    again.push(id);
    return answer();
  });
  return {
    releases,
    again,
    topology,
    move: (name: string, node: string) => void nodes.set(name, node),
    note: (name: string, id: string, sentAt: number) => {
      const operations = new LockOperations(lockKeys(name), { claimMs: 3_000, trust: true });
      releases.note({ operations, id, seq: 2 }, sentAt);
    },
  };
}

/** Each is told when all before it have been answered: by hand. */
function unanswering() {
  const unanswered: (() => void)[] = [];
  const scene = setUp(() => new Promise((resolve) => void unanswered.push(resolve)));
  return { ...scene, answerAll: () => unanswered.splice(0).forEach((answer) => answer()) };
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

  it('is forgotten but for the latest 2,000, or twice as many, of however few names', async () => {
    const { releases, again, note } = setUp();
    note('quiet', 'me:quiet', 0);
    for (let number = 1; number < 2_000; number++) note('hot', `me:${number}`, number / 1_000);
    releases.onOther((key) => key === 'quiet');
    expect(again).toEqual(['me:quiet']);
    for (let number = 2_000; number < 10_000; number++) note('hot', `me:${number}`, number / 1_000);
    releases.onOther(everything);
    await nextTurn();
    const told = again.length - 1;
    expect(told).toBeGreaterThanOrEqual(2_000);
    expect(told).toBeLessThanOrEqual(4_000);
    expect(again).toContain('me:9999');
  });

  it('is forgotten so also while a connection to the server that has it comes back again and again', async () => {
    const { releases, again, note } = setUp();
    for (let number = 0; number < 20_000; number++) {
      note('hot', `me:${number}`, number / 1_000);
      if (number % 500 === 0) releases.onUp(everything);
    }
    releases.onOther(everything);
    await nextTurn();
    expect(again.length).toBeGreaterThanOrEqual(2_000);
    expect(again.length).toBeLessThanOrEqual(4_000);
    expect(again).toContain('me:19999');
  });

  it('is given back a hundred at a time, the latest first: the server has others to serve, and is seldom far behind', async () => {
    const { releases, again, note, answerAll } = unanswering();
    for (let number = 0; number < 150; number++) note('a', `me:${number}`, number);
    releases.onOther(everything);
    await nextTurn();
    expect(again).toHaveLength(100);
    expect(again).toContain('me:149');
    expect(again).toContain('me:50');
    answerAll();
    await nextTurn();
    expect(again).toHaveLength(150);
  });

  it('is given back at once, all that is left, when the client is closed', async () => {
    const { releases, again, note } = unanswering();
    for (let number = 0; number < 350; number++) note(number < 250 ? 'a' : 'b', `me:${number}`, number);
    releases.onOther((key) => key === 'a');
    releases.close();
    expect(new Set(again).size).toBe(250);
    releases.onOther(everything);
    expect(again).toHaveLength(350);
  });

  it('is given back once more when the client is closed before its server has said which run it is, if it can be told', () => {
    const unknown = { takesLocks: false };
    for (const [now, told] of [
      [{ ...unknown, ready: true }, ['me:1']],
      [{ ...unknown, ready: false }, []],
      [{ takesLocks: true, ready: true }, []],
    ] as const) {
      const { releases, again, note, topology } = setUp();
      note('a', 'me:1', 0);
      Object.assign(topology, now);
      releases.close();
      expect(again).toEqual(told);
    }
  });

  it('is told once more, when a server that refused to hear of it has given it the lock', () => {
    const { releases, again, note } = setUp();
    note('a', 'me:1', 0);
    const operations = new LockOperations(lockKeys('b'), { claimMs: 3_000, trust: true });
    releases.refused({ operations, id: 'me:2', seq: 1 });
    releases.onOther((key) => key === 'b');
    releases.granted('me:1');
    expect(again).toEqual([]);
    releases.granted('me:2');
    releases.granted('me:2');
    expect(again).toEqual(['me:2']);
  });

  it.each([0, 70_000])('is told once more with the tombstone that it was to leave: %d ms', async (tombstoneMs) => {
    const built: unknown[] = [];
    const sender = {
      answer: (_: string, source: { build(now: number): unknown }) => {
        built.push(source.build(0));
        return Promise.resolve({ kind: 'silent' });
      },
    };
    const parts = { clock: { now: () => 0 }, settings: { responseTimeoutMs: 1 }, sender };
    const operations = new LockOperations(lockKeys('b'), { claimMs: 3_000, trust: true });
    await giveBackAgain(parts as never, { operations, id: 'me:2', seq: 1, tombstoneMs });
    expect(built).toMatchObject([{ args: ['me:2', tombstoneMs, 3_000, 1, expect.any(String), 'released'] }]);
  });

  it('tells the next owner of a tenure what it was told when that ended', () => {
    const ends: unknown[] = [];
    const releases = new RecentReleases({ nodeOf: () => 'first', ready: true, takesLocks: true }, async (release) => {
      ends.push(withdrawalOf(release, 0, 0).args.at(-1));
    });
    const operations = new LockOperations(lockKeys('a'), { claimMs: 3_000, trust: true });
    releases.note({ operations, id: 'me:1', seq: 2 }, 0);
    releases.note({ operations, id: 'me:2', seq: 1, end: 'unused' }, 1);
    releases.note({ operations, id: 'me:3', seq: 1, end: 'lost' }, 2);
    releases.onOther(everything);
    expect(ends).toEqual(['released', 'unused', 'lost']);
  });
});
