import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Redis } from 'ioredis';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { openProxy, ownDefault } from '../support/redis-inputs.js';

const kit = useRedis();

describe('a copy that a dead connection delivers late', () => {
  /** A client whose next commands reach the server half a second late, on the connection that they were sent on. */
  const setUpLate = async () => {
    const proxy = await openProxy(kit);
    const redis = ownDefault.open(kit, proxy) as Redis;
    const client = openClient(kit, { redis });
    const name = freshName();
    await client.getLock(freshName()).withLock(() => undefined);
    return {
      client,
      name,
      delay: () => proxy.delay(500, 'up'),
      /** The old connection is left with what it carries; the client goes on with a new one. */
      reconnect: async () => {
        await waitUntil(() => proxy.holdsBack(name), { what: 'the command to be on its way' });
        proxy.delay(0, 'up');
        redis.disconnect(true);
      },
      delivered: () => waitUntil(() => proxy.heldBytes === 0, { what: 'the late copy to arrive' }),
    };
  };

  it('of an ask takes no lock for a call that has given up', async () => {
    const { client, name, delay, reconnect, delivered } = await setUpLate();
    delay();
    const outcome = client
      .getLock(name)
      .tryLock(50)
      .catch((error: { code?: string }) => error.code);
    await reconnect();
    // Whether its connection breaks within its time is up to the machine.
    expect(['LOCK_UNAVAILABLE', false]).toContain(await outcome);
    const dead = () => kit.admin.keys(`holdfast_dead:{${name}}*`);
    await waitUntil(async () => (await dead()).length === 1, { what: 'the cancel' });
    await delivered();
    await kit.admin.ping();
    expect(await kit.admin.exists(name, `holdfast_queue:{${name}}`)).toBe(0);
    for (const key of await dead()) expect(await kit.admin.pttl(key)).toBeGreaterThan(30_000);
  });

  it('of an ask takes no lock for a hold that has ended since', async () => {
    const { client, name, delay, reconnect, delivered } = await setUpLate();
    delay();
    const section = client.getLock(name).withLock(() => 'done');
    await reconnect();
    expect(await section).toBe('done');
    await delivered();
    await kit.admin.ping();
    expect(await kit.admin.exists(name, `holdfast_queue:{${name}}`)).toBe(0);
  });

  it('of a release takes the lock from nobody who has it since', async () => {
    const { client, name, delay, reconnect, delivered } = await setUpLate();
    const hold = await client.getLock(name).acquire();
    delay();
    const released = hold.release();
    await reconnect();
    await released;
    const next = await openClient(kit).getLock(name).acquire();
    await delivered();
    await kit.admin.ping();
    expect(await holdsInRedis(kit, name)).toBe(1);
    await next.release();
  });
});
