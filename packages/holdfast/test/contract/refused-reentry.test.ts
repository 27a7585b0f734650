import { startPrivateRedis, useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';

const kit = useRedis(startPrivateRedis);

/** The server refuses whatever needs memory until `work` has settled. */
async function withoutMemory<T>(work: () => Promise<T>): Promise<T> {
  await kit.admin.config('SET', 'maxmemory', '1', 'maxmemory-policy', 'noeviction');
  try {
    return await work();
  } finally {
    await kit.admin.config('SET', 'maxmemory', '0');
  }
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
});
