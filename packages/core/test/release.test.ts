import { describe, expect, it } from '@jest/globals';
import { CLAIM, LEASE, lockOn, TOMBSTONE } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';
import { almost } from './support/matchers.js';

const server = useLockServer();
const lock = lockOn(server);
const { keys } = lock;
const dirty = { tombstoneMs: TOMBSTONE };

describe('release of a nested hold', () => {
  it('takes one hold away and leaves the lease and the queue alone', async () => {
    await lock.ask('a:1');
    await lock.again('a:1', 2);
    await lock.ask('b:1');
    const channels = await server.listen('holdfast_inbox:b', keys.releaseChannel);
    expect(await lock.release('a:1', 3, dirty)).toEqual({ kind: 'held', holdCount: 1 });
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '1', seq: '3' }, queue: ['b:1'], tombstones: [] });
    expect(await lock.pttl()).toEqual(almost(LEASE));
    expect(await channels.received()).toEqual([]);
  });

  it('takes one hold away however often it arrives', async () => {
    await lock.ask('a:1');
    await lock.again('a:1', 2);
    for (let copy = 0; copy < 3; copy++) {
      expect(await lock.release('a:1', 3)).toEqual({ kind: 'held', holdCount: 1 });
    }
    expect(await lock.release('a:1', 2)).toEqual({ kind: 'held', holdCount: 1 });
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '1', seq: '3' } });
  });
});

describe('release of the last hold without waiters', () => {
  it('frees the lock, tells Redisson, and leaves nothing', async () => {
    await lock.ask('a:1');
    const channel = await server.listen(keys.releaseChannel);
    expect(await lock.release('a:1', 2)).toEqual({ kind: 'released', left: 0 });
    expect(await lock.state()).toEqual({ lock: {}, queue: [], fresh: [], tombstones: [] });
    expect(await channel.received()).toEqual([[keys.releaseChannel, '0']]);
  });

  it('bars late asks of the tenure when it is dirty', async () => {
    await lock.ask('a:1');
    expect(await lock.release('a:1', 2, dirty)).toEqual({ kind: 'released', left: 0 });
    expect(await server.redis.pttl(keys.dead('a:1'))).toEqual(almost(TOMBSTONE));
    expect(await lock.ask('a:1')).toEqual({ kind: 'dead' });
  });
});

describe('release of the last hold with waiters', () => {
  it('grants no longer lease than the waiter asked for, so that its crash frees the lock as soon as it wanted', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1', { leaseMs: CLAIM / 2 });
    const channel = await server.listen('holdfast_inbox:b');
    await lock.release('a:1', 2);
    expect(await lock.pttl()).toEqual(almost(CLAIM / 2));
    const [, , , exp, now] = (await channel.received())[0]?.[1].split(' ') ?? [];
    expect(Number(exp) - Number(now)).toBe(CLAIM / 2);
  });

  it('makes the head the owner with the claim lease and tells only it', async () => {
    await lock.ask('a:1');
    for (const tenure of ['owner:b:1', 'c:1', 'd:1']) await lock.ask(tenure);
    const channels = await server.listen('holdfast_inbox:b', 'holdfast_inbox:c', keys.releaseChannel);
    expect(await lock.release('a:1', 2)).toEqual({ kind: 'granted', to: 'owner:b:1' });
    expect(await lock.state()).toMatchObject({
      lock: { 'owner:b:1': '1', seq: '1' },
      queue: ['c:1', 'd:1'],
      fresh: ['c:1', 'd:1'],
    });
    expect(await lock.pttl()).toEqual(almost(CLAIM));
    const [message, ...more] = await channels.received();
    expect(more).toEqual([]);
    const [version, kind, tenure, exp, now, others, token] = message?.[1].split(' ') ?? [];
    expect([message?.[0], version, kind, tenure, others, token]).toEqual([
      'holdfast_inbox:b',
      '1',
      'grant',
      'owner:b:1',
      '2',
      '-',
    ]);
    expect(Number(exp) - Number(now)).toBe(CLAIM);
    const [seconds] = await server.redis.time();
    expect(Math.abs(Number(now) / 1_000 - Number(seconds))).toBeLessThan(5);
  });

  it('tells the next owner how long a turn is, where that is known', async () => {
    await lock.ask('a:1');
    for (const tenure of ['b:1', 'b:2']) await lock.ask(tenure);
    const channel = await server.listen('holdfast_inbox:b');
    await lock.release('a:1', 2, { turn: 37 });
    await lock.release('b:1', 2);
    const told = (await channel.received()).map(([, message]) => message.replace(/ \d{13}/g, ''));
    expect(told).toEqual(['1 grant b:1 1 - turn 37', '1 grant b:2 0 -']);
  });

  it('passes over waiters whose time is over', async () => {
    await lock.ask('a:1');
    for (const tenure of ['b:1', 'c:1', 'd:1']) await lock.ask(tenure);
    await lock.makeStale('b:1');
    await server.redis.hdel(keys.fresh, 'c:1');
    expect(await lock.release('a:1', 2)).toEqual({ kind: 'granted', to: 'd:1' });
    expect(await lock.state()).toMatchObject({ queue: [], fresh: [] });
  });

  it('frees the lock and tells Redisson when every waiter is stale', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.makeStale('b:1');
    const channels = await server.listen('holdfast_inbox:b', keys.releaseChannel);
    expect(await lock.release('a:1', 2)).toEqual({ kind: 'released', left: 0 });
    expect(await lock.state()).toEqual({ lock: {}, queue: [], fresh: [], tombstones: [] });
    expect(await channels.received()).toEqual([[keys.releaseChannel, '0']]);
  });

  it('passes over a waiter whose inbox has no subscriber, where that can be known', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.ask('c:1');
    await server.listen('holdfast_inbox:c');
    expect(await lock.release('a:1', 2, { trust: true })).toEqual({ kind: 'granted', to: 'c:1' });
    expect(await lock.state()).toMatchObject({ lock: { 'c:1': '1', seq: '1' }, queue: [] });
  });

  it('takes nobody who listens to a pattern, as an onlooker does, for the waiter', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await server.connect().psubscribe('holdfast_inbox:*');
    expect(await lock.release('a:1', 2, { trust: true })).toEqual({ kind: 'released', left: 0 });
  });

  it('grants the head all the same where it cannot', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.ask('c:1');
    await server.listen('holdfast_inbox:c');
    expect(await lock.release('a:1', 2, { trust: false })).toEqual({ kind: 'granted', to: 'b:1' });
  });

  it('leaves no owner when no inbox has a subscriber', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    expect(await lock.release('a:1', 2, { trust: true })).toEqual({ kind: 'released', left: 0 });
    expect(await lock.state()).toEqual({ lock: {}, queue: [], fresh: [], tombstones: [] });
  });
});

describe('release by a tenure that is not the owner', () => {
  it('says so and changes nothing', async () => {
    await lock.ask('a:1');
    await lock.ask('c:1');
    expect(await lock.release('b:1', 2)).toEqual({ kind: 'notHeld' });
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '1', seq: '1' }, queue: ['c:1'], tombstones: [] });
  });

  it('takes it out of the queue', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    expect(await lock.release('b:1', 2)).toEqual({ kind: 'notHeld' });
    expect(await lock.state()).toMatchObject({ queue: [], fresh: [] });
  });

  it('bars late asks when it is dirty', async () => {
    expect(await lock.release('a:1', 2, dirty)).toEqual({ kind: 'notHeld' });
    expect(await lock.ask('a:1')).toEqual({ kind: 'dead' });
  });

  it('answers a copy of a dirty release as the first', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.release('a:1', 2, dirty);
    expect(await lock.release('a:1', 2, dirty)).toEqual({ kind: 'released', left: 0 });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1' } });
  });
});

it('a foreign key in place of the queue does not keep a release from finishing', async () => {
  await lock.ask('a:1');
  await server.redis.set(keys.queue, 'x', 'PX', 10_000);
  expect(await lock.release('a:1', 2)).toEqual({ kind: 'released', left: 0 });
  expect(await lock.state().catch((error: Error) => error.message)).toMatch(/\bWRONGTYPE /);
  expect(await server.redis.exists(keys.lock)).toBe(0);
});
