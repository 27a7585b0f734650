import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { createLockClient, type LockClient, type LockClientOptions } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';

const kit = useRedis();
/** Nobody asks again by itself while the test runs: whoever is served was named by a release. */
const patient = { reaskMs: 20_000, claimLeaseMs: 30_000 };

const withKeyPrefix = (keyPrefix: string): Redis => {
  const redis = new Redis(kit.server.url, { keyPrefix });
  kit.cleanup(() => redis.disconnect());
  return redis;
};

const open = async (...options: Partial<LockClientOptions>[]): Promise<LockClient[]> => {
  const clients = options.map((each) => openClient(kit, { ...patient, ...each }));
  for (const client of clients) await client.getLock(freshName()).withLock(() => undefined);
  await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === clients.length, {
    what: 'all listen',
  });
  return clients;
};

/** The keys that exist while the second client waits for the first. */
async function keysWhileWaiting(holder: LockClient, waiter: LockClient, name: string): Promise<string[]> {
  const hold = await holder.getLock(name).acquire();
  const waiting = waiter.getLock(name).acquire();
  await waitUntil(async () => (await holder.inspect(name)).queue.length === 1, { what: 'it waits' });
  const keys = await kit.admin.keys(`*${name}*`);
  await hold.release();
  await (await waiting).release();
  return keys.sort();
}

describe('a prefix', () => {
  it.each(['holdfast_app:', 'redisson_', 'app:holdfast_queue:{', 'a{', 'a}', 'a{}'])(
    'that spoils every name is refused when the client is made: %j',
    (prefix) => {
      expect(() => createLockClient({ redis: kit.server.url, prefix })).toThrow(/prefix/);
      expect(() => createLockClient({ redis: kit.server.url, prefix })).toThrow(RangeError);
    },
  );

  it('stands before the name in every key, with a URL too, and not in what the client says', async () => {
    const [holder, waiter] = (await open({ prefix: 'app:' }, { prefix: 'app:' })) as [LockClient, LockClient];
    const name = freshName();
    expect(await keysWhileWaiting(holder, waiter, name)).toEqual(
      [`app:${name}`, `holdfast_fresh:{app:${name}}`, `holdfast_queue:{app:${name}}`].sort(),
    );
    await using hold = await holder.getLock(name).acquire();
    expect([hold.name, holder.getLock(name).name, (await waiter.inspect(name)).name]).toEqual([name, name, name]);
    expect((await waiter.inspect(name)).owner).toMatchObject({ kind: 'holdfast' });
    expect(await holder.getLock(name).getHoldCount()).toBe(0);
    await hold.run(async () => expect(await holder.getLock(name).getHoldCount()).toBe(1));
    await expect(waiter.getLock(name).acquire({ waitMs: 0 })).rejects.toMatchObject({ lockName: name });
    expect(await waiter.getLock(name).forceUnlock()).toBe(true);
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST', lockName: name });
  });

  it('and a name are the lock of whoever calls it by both: it excludes, and a release of one serves the other', async () => {
    const [prefixed, plain] = (await open({ prefix: 'app:' }, {})) as [LockClient, LockClient];
    const name = freshName();
    const hold = await prefixed.getLock(name).acquire();
    expect(await plain.getLock(`app:${name}`).tryLock()).toBe(false);
    const waiting = plain.getLock(`app:${name}`).acquire();
    await waitUntil(async () => (await prefixed.inspect(name)).queue.length === 1, { what: 'it waits' });
    await hold.release();
    await (await waiting).release();
    expect(plain.stats().handoffs.granted).toBe(1);
  });

  it('stands behind the keyPrefix of a client of yours', async () => {
    const options = { prefix: 'b:' };
    const [holder, waiter] = (await open(
      { redis: withKeyPrefix('a:'), ...options },
      { redis: withKeyPrefix('a:'), ...options },
    )) as [LockClient, LockClient];
    const name = freshName();
    expect(await keysWhileWaiting(holder, waiter, name)).toEqual(
      [`a:b:${name}`, `a:holdfast_fresh:{a:b:${name}}`, `a:holdfast_queue:{a:b:${name}}`].sort(),
    );
  });

  it.each(['queue', 'redisson'] as const)(
    "of ioredis and a name exclude whoever calls the lock by both, who is not served but asks again or hears Redisson's channel (%s)",
    async (wakeup) => {
      const asking = { reaskMs: 50, claimLeaseMs: 400 };
      const [prefixed, plain] = [
        openClient(kit, { redis: withKeyPrefix('app:'), wakeup }),
        openClient(kit, { ...(wakeup === 'queue' ? asking : patient), wakeup }),
      ];
      const name = freshName();
      const hold = await prefixed.getLock(name).acquire();
      expect(await plain.getLock(`app:${name}`).tryLock()).toBe(false);
      const waiting = plain.getLock(`app:${name}`).acquire();
      const waits = async () =>
        wakeup === 'queue'
          ? (await plain.inspect(`app:${name}`)).queue.length === 1
          : (await kit.admin.pubsub('CHANNELS', `redisson_lock__channel:{app:${name}}`)).length === 1;
      await waitUntil(waits, { what: 'it waits' });
      await hold.release();
      await (await waiting).release();
      expect(plain.stats().handoffs.granted).toBe(0);
    },
  );

  it('that makes a key of ours out of a name is refused with the name', () => {
    expect(() => openClient(kit, { prefix: 'hold' }).getLock('fast_queue:x')).toThrow(RangeError);
    expect(() => openClient(kit, { prefix: 'app:' }).getLock('holdfast_queue:{app:x}')).toThrow(RangeError);
    expect(openClient(kit, { prefix: 'app:' }).getLock('holdfast_x').name).toBe('holdfast_x');
  });
});
