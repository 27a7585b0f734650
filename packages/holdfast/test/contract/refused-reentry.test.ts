import { again, lockKeys } from '@holdfast/core';
import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Redis, ReplyError } from 'ioredis';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';

const kit = useRedis(startPrivateRedis);
const LEASE_MS = 1_000;
const { sha: oneMore } = again(lockKeys('any'), { tenure: 'a:1', seq: 1, leaseMs: 1 }).script;

/** The server refuses whatever needs memory from when `work` begins that until it has settled. */
async function withoutMemoryFrom<T>(work: (begin: () => Promise<unknown>) => Promise<T>): Promise<T> {
  try {
    return await work(() => kit.admin.config('SET', 'maxmemory', '1'));
  } finally {
    await kit.admin.config('SET', 'maxmemory', '0');
  }
}

const withoutMemory = <T>(work: () => Promise<T>): Promise<T> =>
  withoutMemoryFrom(async (begin) => {
    await begin();
    return work();
  });

/** As a full server refuses one more hold, and nothing else. */
function refuseNested(redis: Redis): void {
  const send = redis.sendCommand.bind(redis);
  redis.sendCommand = (command, ...rest) => {
    if (command.args[0] !== oneMore) return send(command, ...rest);
    command.reject(new ReplyError("OOM command not allowed when used memory > 'maxmemory'."));
    return command.promise;
  };
}

describe('a nested call that Redis refuses while the holds around it are given back', () => {
  it.each([1, 2])('takes nothing away from them: %i around it', async (depth) => {
    const client = openClient(kit);
    const losses: unknown[] = [];
    client.on('lost', ({ error }) => losses.push(error));
    const lock = client.getLock(freshName());
    const holds = [await lock.acquire()];
    while (holds.length < depth) holds.push((await holds.at(-1)?.run(() => lock.acquire())) as (typeof holds)[0]);
    const outcomes = await withoutMemory(() =>
      Promise.allSettled([holds.at(-1)?.run(() => lock.acquire()), ...holds.map((hold) => hold.release())]),
    );
    const [nested, ...releases] = outcomes;
    expect(nested).toMatchObject({ reason: { code: 'LOCK_REFUSED', redisCode: 'OOM' } });
    expect(releases).toEqual(holds.map(() => ({ status: 'fulfilled', value: undefined })));
    const next = await lock.acquire({ waitMs: 10_000 });
    expect(next.state).toBe('held');
    await next.release();
    expect(losses).toEqual([]);
    expect(await holdsInRedis(kit, lock.name)).toBe(0);
  });

  it('lets the lock rest for their minimum, which is none of the hold after them', async () => {
    const redis = new Redis(kit.server.url);
    kit.cleanup(() => redis.disconnect());
    const name = freshName();
    const other = openClient(kit);
    const [lock, stranger] = [openClient(kit, { redis }).getLock(name), other.getLock(name)];
    const outer = await lock.acquire({ minHoldMs: 20_000 });
    const next = lock.acquire();
    refuseNested(redis);
    const [inner, release] = await Promise.allSettled([outer.run(() => lock.acquire()), outer.release()]);
    expect([inner.status, release.status]).toEqual(['rejected', 'fulfilled']);
    expect((await other.inspect(name)).owner).toMatchObject({ resting: true });
    expect(await stranger.remainTimeToLive()).toBeGreaterThan(10_000);
    expect(await stranger.forceUnlock()).toBe(true);
    await (await next).release();
    expect(await stranger.tryLock()).toBe(true);
  });
});

describe('a nested call that Redis refuses keeps no lock', () => {
  it('whose fixed lease around it is over', async () => {
    const lock = openClient(kit).getLock(freshName());
    const outer = await lock.acquire({ leaseMs: LEASE_MS });
    const nested = await withoutMemory(() => outer.run(() => lock.acquire()).catch((error: unknown) => error));
    expect(nested).toMatchObject({ code: 'LOCK_REFUSED' });
    await waitUntil(() => outer.state === 'lost', { what: 'the fixed lease to end' });
  });

  it('that its scope left open before Redis had answered', async () => {
    const redis = new Redis(kit.server.url);
    kit.cleanup(() => redis.disconnect());
    const client = openClient(kit, { redis, watchdogTimeoutMs: LEASE_MS });
    const lock = client.getLock(freshName());
    const nested = await withoutMemoryFrom(async (begin) => {
      const calls: Promise<unknown>[] = [];
      await client.run(async () => {
        await lock.lock();
        await begin();
        calls.push(lock.lock().catch((error: unknown) => error));
      });
      // Behind its question on the same connection.
      await redis.ping();
      return Promise.all(calls);
    });
    expect(nested).toMatchObject([{ name: 'LockScopeError' }]);
    await waitUntil(async () => (await holdsInRedis(kit, lock.name)) === 0, { what: 'the lease of the lock to end' });
  });
});
