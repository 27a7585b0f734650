import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';

const kit = useRedis(startPrivateRedis);
const LEASE_MS = 1_000;

/** The server refuses whatever needs memory from when `work` begins that until it has settled. */
async function withoutMemoryFrom<T>(work: (begin: () => Promise<unknown>) => Promise<T>): Promise<T> {
  try {
    return await work(() => kit.admin.config('SET', 'maxmemory', '1', 'maxmemory-policy', 'noeviction'));
  } finally {
    await kit.admin.config('SET', 'maxmemory', '0');
  }
}

const withoutMemory = <T>(work: () => Promise<T>): Promise<T> =>
  withoutMemoryFrom(async (begin) => {
    await begin();
    return work();
  });

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
