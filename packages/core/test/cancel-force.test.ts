import { describe, expect, it } from '@jest/globals';
import { CLAIM, lockOn, TOMBSTONE } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';
import { almost } from './support/matchers.js';

const server = useLockServer();
const lock = lockOn(server);
const { keys } = lock;

describe('cancel', () => {
  it('takes a waiter out of the queue and bars its late asks', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.ask('c:1');
    expect(await lock.cancel('b:1')).toEqual({ kind: 'cancelled', wasGranted: false, left: 0 });
    expect(await lock.state()).toMatchObject({ lock: { 'a:1': '1' }, queue: ['c:1'], fresh: ['c:1'] });
    expect(await server.redis.pttl(keys.dead('b:1'))).toEqual(almost(TOMBSTONE));
    expect(await lock.ask('b:1')).toEqual({ kind: 'dead' });
  });

  it('leaves no tombstone when it is clean', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.cancel('b:1', { tombstoneMs: 0 });
    expect(await lock.state()).toMatchObject({ queue: [], tombstones: [] });
  });

  it('bars an ask that arrives after it', async () => {
    expect(await lock.cancel('a:1')).toEqual({ kind: 'cancelled', wasGranted: false, left: 0 });
    expect(await lock.ask('a:1')).toEqual({ kind: 'dead' });
    expect(await lock.state()).toMatchObject({ lock: {} });
  });

  it('passes a grant that crossed it on to the next waiter', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.ask('c:1');
    await lock.release('a:1', 2);
    const inbox = await server.listen('holdfast_inbox:c', keys.releaseChannel);
    expect(await lock.cancel('b:1')).toEqual({ kind: 'cancelled', wasGranted: true, left: 0 });
    expect(await lock.state()).toMatchObject({ lock: { 'c:1': '1', seq: '1' }, queue: [] });
    expect(await inbox.received()).toEqual([['holdfast_inbox:c', expect.stringMatching(/^1 grant c:1 /)]]);
  });

  it('frees the lock of an owner with any number of holds and tells Redisson', async () => {
    await lock.ask('a:1');
    await lock.again('a:1', 2);
    const channel = await server.listen(keys.releaseChannel);
    expect(await lock.cancel('a:1')).toEqual({ kind: 'cancelled', wasGranted: true, left: 0 });
    expect(await lock.state()).toMatchObject({ lock: {} });
    expect(await channel.received()).toEqual([[keys.releaseChannel, '0']]);
  });

  it('sends no message when the tenure was not the owner', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    const channels = await server.listen('holdfast_inbox:a', 'holdfast_inbox:b', keys.releaseChannel);
    await lock.cancel('b:1');
    expect(await channels.received()).toEqual([]);
  });
});

describe('force', () => {
  it('frees the lock and tells the old owner and Redisson', async () => {
    await lock.ask('a:1');
    const channels = await server.listen('holdfast_inbox:a', keys.releaseChannel);
    expect(await lock.force('x:1')).toEqual({ kind: 'forced', ownerBefore: 'a:1', alsoBefore: [], left: 0 });
    expect(await lock.state()).toMatchObject({ lock: {} });
    expect(await channels.received()).toEqual([
      [keys.releaseChannel, '0'],
      ['holdfast_inbox:a', '1 lost a:1 force-unlocked'],
    ]);
  });

  it('gives the lock to the head of the queue', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    const channels = await server.listen('holdfast_inbox:a', 'holdfast_inbox:b', keys.releaseChannel);
    expect(await lock.force('x:1')).toEqual({ kind: 'forced', ownerBefore: 'a:1', alsoBefore: [], left: 0 });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1', seq: '1' }, queue: [] });
    expect(await lock.pttl()).toEqual(almost(CLAIM));
    expect(await channels.received()).toEqual([
      ['holdfast_inbox:b', expect.stringMatching(/^1 grant b:1 /)],
      ['holdfast_inbox:a', '1 lost a:1 force-unlocked'],
    ]);
  });

  it('removes a foreign owner without a message it could not read', async () => {
    await server.redis.hset(keys.lock, '0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:17', 2);
    server.expectLasting(keys.lock);
    const channels = await server.listen('holdfast_inbox:0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60', keys.releaseChannel);
    expect(await lock.force('x:1')).toEqual({
      kind: 'forced',
      ownerBefore: '0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:17',
      alsoBefore: [],
      left: 0,
    });
    expect(await channels.received()).toEqual([[keys.releaseChannel, '0']]);
  });

  it("tells the tenure that it has forced out also where Java's read lock has joined it", async () => {
    await lock.ask('a:1');
    await server.redis.hset(keys.lock, 'mode', 'read', '0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:17', 1);
    const inbox = await server.listen('holdfast_inbox:a');
    expect(await lock.force('x:1')).toEqual({ kind: 'forced', ownerBefore: 'a:1', alsoBefore: [], left: 0 });
    expect(await inbox.received()).toEqual([['holdfast_inbox:a', '1 lost a:1 force-unlocked']]);
  });

  it('reports no owner when the lock was free, and sends no message', async () => {
    const channel = await server.listen(keys.releaseChannel);
    expect(await lock.force('x:1')).toEqual({ kind: 'forced', ownerBefore: undefined, alsoBefore: [], left: 0 });
    expect(await channel.received()).toEqual([]);
  });

  it('serves the queue of a free lock', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.vanish();
    expect(await lock.force('x:1')).toEqual({ kind: 'forced', ownerBefore: undefined, alsoBefore: [], left: 0 });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1' } });
  });

  it('does not hit the next owner when it arrives twice', async () => {
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.force('x:1');
    expect(await lock.force('x:1')).toEqual({ kind: 'forced', ownerBefore: 'a:1', alsoBefore: [], left: 0 });
    expect(await lock.state()).toMatchObject({ lock: { 'b:1': '1' } });
    expect(await lock.force('x:2')).toEqual({ kind: 'forced', ownerBefore: 'b:1', alsoBefore: [], left: 0 });
  });

  it('never deletes a key of another type', async () => {
    await server.redis.set(keys.lock, 'somebody else', 'PX', 10_000);
    await expect(lock.force('x:1')).rejects.toThrow(/^NOTALOCK /);
    expect(await server.redis.get(keys.lock)).toBe('somebody else');
  });
});
