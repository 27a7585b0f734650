import { describe, expect, it } from '@jest/globals';
import { CLAIM, LEASE, lockOn, TOMBSTONE } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';

/**
 * ioredis sends unanswered commands again after a reconnect, and the connection that died may still deliver the first
 * copy. So every script may run twice in a row, and may run once more after anything else has happened.
 */
const server = useLockServer();
const lock = lockOn(server);
const dirty = { tombstoneMs: TOMBSTONE };

interface Case {
  title: string;
  before: () => Promise<unknown>;
  command: () => Promise<unknown>;
}

const owned = async () => lock.ask('a:1');
const nested = async () => {
  await owned();
  await lock.again('a:1', 2);
};
const awaited = async () => {
  await owned();
  await lock.ask('b:1');
  await lock.ask('c:1');
};
const abandoned = async () => {
  await awaited();
  await lock.vanish();
};

const cases: Case[] = [
  { title: 'ask for a free lock', before: async () => {}, command: () => lock.ask('a:1') },
  { title: 'ask that queues', before: owned, command: () => lock.ask('b:1') },
  { title: 'ask that does not wait', before: owned, command: () => lock.ask('b:1', { freshMs: 0 }) },
  { title: 'ask of a newcomer that serves the head', before: abandoned, command: () => lock.ask('n:1') },
  { title: 'ask of the head for an abandoned lock', before: abandoned, command: () => lock.ask('b:1') },
  { title: 'again', before: owned, command: () => lock.again('a:1', 2) },
  { title: 'handoff', before: awaited, command: () => lock.handoff('a:1', 2, CLAIM) },
  { title: 'nested release', before: nested, command: () => lock.release('a:1', 3) },
  { title: 'clean release', before: owned, command: () => lock.release('a:1', 2) },
  { title: 'dirty release', before: owned, command: () => lock.release('a:1', 2, dirty) },
  { title: 'clean release that grants', before: awaited, command: () => lock.release('a:1', 2) },
  { title: 'dirty release that grants', before: awaited, command: () => lock.release('a:1', 2, dirty) },
  { title: 'clean rest', before: awaited, command: () => lock.rest('a:1', 2) },
  { title: 'dirty rest of a tenure with two holds', before: nested, command: () => lock.rest('a:1', 3, dirty) },
  { title: 'cancel of a waiter', before: awaited, command: () => lock.cancel('b:1') },
  { title: 'cancel of the owner', before: awaited, command: () => lock.cancel('a:1') },
  { title: 'cancel of an unknown tenure', before: awaited, command: () => lock.cancel('x:1') },
  { title: 'force', before: awaited, command: () => lock.force('x:1') },
  { title: 'renew', before: owned, command: () => lock.renew('a:1') },
  { title: 'renew of a lost lock', before: async () => {}, command: () => lock.renew('a:1') },
];

describe('the second of two copies in a row changes nothing', () => {
  it.each(cases)('$title', async ({ before, command }) => {
    await before();
    await command();
    const once = await lock.state();
    await command();
    expect(await lock.state()).toEqual(once);
  });
});

describe('a late copy', () => {
  it('of an ask finds its tenure released for good', async () => {
    await owned();
    await lock.release('a:1', 2, dirty);
    expect(await lock.ask('a:1')).toEqual({ kind: 'dead' });
    await lock.ask('b:1');
    expect(await lock.ask('a:1')).toEqual({ kind: 'dead' });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1' }, queue: [] });
  });

  it('of an ask that its cancel overtook acquires nothing', async () => {
    await lock.cancel('a:1');
    expect(await lock.ask('a:1')).toEqual({ kind: 'dead' });
    expect(await lock.state()).toMatchObject({ lock: {} });
  });

  it('of an ask does not put the owner back into the queue', async () => {
    await awaited();
    await lock.release('a:1', 2);
    expect(await lock.ask('b:1')).toMatchObject({ kind: 'mine', holdCount: 1 });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1' }, queue: ['c:1'] });
  });

  it('of a nested acquire or release does not count', async () => {
    await nested();
    await lock.release('a:1', 3);
    await lock.again('a:1', 4);
    expect(await lock.again('a:1', 2)).toMatchObject({ kind: 'held', holdCount: 2 });
    expect(await lock.release('a:1', 3)).toMatchObject({ kind: 'held', holdCount: 2 });
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '2', seq: '4' } });
  });

  it('of a nested acquire does not revive a released tenure', async () => {
    await nested();
    await lock.release('a:1', 3);
    await lock.release('a:1', 4);
    expect(await lock.again('a:1', 2)).toEqual({ kind: 'lost' });
    expect(await lock.handoff('a:1', 2)).toEqual({ kind: 'lost' });
    expect(await lock.renew('a:1')).toEqual({ kind: 'lost', reason: 'deleted' });
    expect(await lock.state()).toMatchObject({ lock: {} });
  });

  it.each([{ tombstoneMs: 0 }, dirty])('of a release leaves the next owner alone (%j)', async (options) => {
    await awaited();
    await lock.release('a:1', 2, options);
    await lock.again('b:1', 2);
    await lock.release('a:1', 2, options);
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '2', seq: '2' }, queue: ['c:1'] });
  });

  it('of a release, a rest or a renewal changes nothing about a lock that rests, nor a rest about the next owner', async () => {
    await nested();
    await lock.release('a:1', 3);
    await lock.rest('a:1', 4);
    const resting = await lock.state();
    expect(await lock.release('a:1', 3)).toEqual({ kind: 'notHeld' });
    expect(await lock.renew('a:1', 2 * LEASE)).toEqual({ kind: 'lost', reason: 'taken' });
    expect(await lock.rest('a:1', 4)).toEqual({ kind: 'resting', left: 0 });
    expect(await lock.pttl()).toBeLessThanOrEqual(LEASE);
    expect(await lock.state()).toEqual(resting);
    await lock.vanish();
    await lock.ask('b:1');
    expect(await lock.rest('a:1', 4)).toEqual({ kind: 'notHeld' });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1' } });
  });

  it('of a release leaves the next tenure of the same owner alone', async () => {
    await lock.ask('worker:a:1');
    await lock.release('worker:a:1', 2);
    await lock.ask('worker:a:2');
    expect(await lock.release('worker:a:1', 2)).toEqual({ kind: 'notHeld' });
    expect(await lock.state()).toMatchObject({ lock: { 'worker:a:2': '1' } });
  });

  it('of a handoff does not shorten the lease of the hold after it', async () => {
    await owned();
    await lock.handoff('a:1', 2, CLAIM);
    await lock.handoff('a:1', 3, CLAIM * 10);
    await lock.handoff('a:1', 2, CLAIM);
    expect(await lock.pttl()).toBeGreaterThan(CLAIM);
  });

  it('of a renewal never gives life to a lock that was forced away', async () => {
    await awaited();
    await lock.force('x:1');
    expect(await lock.renew('a:1')).toEqual({ kind: 'lost', reason: 'taken' });
    expect(await lock.pttl()).toBeLessThanOrEqual(CLAIM);
  });
});
