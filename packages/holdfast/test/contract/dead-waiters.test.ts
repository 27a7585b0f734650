import { countCommands, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName, openClient } from '../support/clients.js';

const kit = useRedis();
/** Nobody asks again by itself while the test runs. */
const patient = { reaskMs: 200_000, claimLeaseMs: 300_000, watchdogTimeoutMs: 600_000 };
const DEAD = 600;

describe('places of waiters that have crashed', () => {
  it.each(['release', 'forceUnlock'] as const)(
    'do not keep a live waiter from a lock that is free: a %s goes on at once',
    async (way) => {
      const [holder, waiter] = [openClient(kit, patient), openClient(kit, patient)];
      for (const client of [holder, waiter]) await client.getLock(freshName()).withLock(() => undefined);
      await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === 2, {
        what: 'both listen',
      });
      const name = freshName();
      const hold = await holder.getLock(name).acquire();
      const waiting = waiter.getLock(name).acquire({ waitMs: 20_000 });
      await waitUntil(async () => (await holder.inspect(name)).queue.length === 1, { what: 'it waits' });
      const places = Array.from({ length: DEAD }, (_, index) => [index, `gone:${index}`] as const);
      await kit.admin.zadd(`holdfast_queue:{${name}}`, ...places.flat());
      const counter = await countCommands(kit.admin);
      if (way === 'release') await hold.release();
      else expect(await holder.getLock(name).forceUnlock()).toBe(true);
      const next = await waiting;
      expect(waiter.stats().handoffs.granted).toBe(1);
      const { evalsha = 0, eval: byText = 0 } = await counter.delta();
      expect(evalsha + byText).toBeLessThan(2 * Math.ceil(DEAD / 64));
      await next.release();
      if (way === 'forceUnlock') await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    },
  );

  it('do not keep a live waiter from a lock that is free by the release of an inner hold: the server had lost the others', async () => {
    const [holder, waiter] = [openClient(kit, patient), openClient(kit, patient)];
    for (const client of [holder, waiter]) await client.getLock(freshName()).withLock(() => undefined);
    await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === 2, {
      what: 'both listen',
    });
    const name = freshName();
    const lock = holder.getLock(name);
    const hold = await lock.acquire();
    const inner = await hold.run(() => lock.acquire());
    const waiting = waiter.getLock(name).acquire({ waitMs: 10_000 });
    await waitUntil(async () => (await holder.inspect(name)).queue.length === 1, { what: 'it waits' });
    const places = Array.from({ length: DEAD }, (_, index) => [index, `gone:${index}`] as const);
    await kit.admin.zadd(`holdfast_queue:{${name}}`, ...places.flat());
    const { owner } = await holder.inspect(name);
    await kit.admin.hset(name, owner?.id ?? '', 1);
    await inner.release();
    const next = await waiting;
    await next.release();
    expect(hold.state).toBe('lost');
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });

  /** The lock of a process that has crashed, with so many behind it who have crashed too. */
  const abandoned = async (dead: number, leaseMs: number): Promise<string> => {
    const name = freshName();
    const places = Array.from({ length: dead }, (_, index) => [index, `gone:${index}`] as const);
    await kit.admin
      .multi()
      .hset(name, 'gone:owner', 1, 'seq', 1)
      .pexpire(name, leaseMs)
      .zadd(`holdfast_queue:{${name}}`, ...places.flat())
      .exec();
    return name;
  };

  it('do not keep a live waiter from a lock that is free: after an expiry it asks again at once while they get fewer', async () => {
    const waiter = openClient(kit, patient);
    const name = await abandoned(20_000, 3_000);
    // A pause of some milliseconds a round would not do: there are more than 300 rounds.
    const hold = await waiter.getLock(name).acquire({ waitMs: 30_000 });
    await hold.release();
  });

  it('do not make a free lock busy for those who ask once', async () => {
    const client = openClient(kit, patient);
    const lock = client.getLock(await abandoned(DEAD, 1));
    await waitUntil(async () => (await kit.admin.exists(lock.name)) === 0, { what: 'the lease is over' });
    expect(await lock.tryLock()).toBe(true);
    await lock.unlock();
  });

  it('do not make a held lock free for those who ask once: its new owner keeps it', async () => {
    const [client, other] = [openClient(kit, patient), openClient(kit, patient)];
    const name = await abandoned(DEAD, 1);
    await using hold = await other.getLock(name).acquire();
    expect(await client.getLock(name).tryLock()).toBe(false);
    hold.assertHeld();
  });
});
