import { countCommands, driveTime, faultProxy, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, LockClientOptions } from 'holdfast';
import { Redis } from 'ioredis';
import { confirmedRenewals, freshName, holdsInRedis, openClient } from '../support/clients.js';
import { openProxy } from '../support/redis-inputs.js';
import { Gate, Room, turns } from '../support/room.js';
import { spawnLockWorker } from '../support/workers.js';

const kit = useRedis();

const setUp = (options: Partial<LockClientOptions> = {}) => {
  const client = openClient(kit, options);
  const name = freshName();
  return { client, name, lock: client.getLock(name), stranger: openClient(kit, options).getLock(name) };
};

const queued = (client: LockClient, name: string, size: number) =>
  waitUntil(async () => (await client.inspect(name)).queue.length === size, { what: `${size} in the queue` });

describe('a handoff in memory', () => {
  it('keeps one owner and the count 1 in Redis', async () => {
    const { client, name, lock } = setUp();
    const owners = new Set<string | undefined>();
    const section = async () => {
      const { owner } = await client.inspect(name);
      owners.add(owner?.id);
      expect(owner?.holdCount).toBe(1);
    };
    await Promise.all(Array.from({ length: 10 }, () => lock.withLock(section)));
    expect(owners.size).toBe(1);
    expect(client.stats().handoffs).toEqual({ local: 9, passed: 0, granted: 0 });
    expect(await holdsInRedis(kit, name)).toBe(0);
  });

  it.each([
    ['the ask', 30_000],
    ['a renewal', 9_000],
  ])('ends for a waiter whose notice overtakes the reply to %s', async (command, watchdogTimeoutMs) => {
    const { host, port } = kit.server;
    const proxy = await faultProxy({ target: { host, port } });
    kit.cleanup(() => proxy.close());
    const redis = new Redis(proxy.url);
    kit.cleanup(() => redis.disconnect());
    // Messages come straight, replies through the proxy.
    redis.duplicate = (options) => new Redis(kit.server.url, options ?? {});
    const patient = { reaskMs: 20_000, claimLeaseMs: 30_000 };
    const client = openClient(kit, { redis, watchdogTimeoutMs, ...patient });
    const name = freshName();
    const stranger = openClient(kit, patient).getLock(name);
    for (const handle of [client.getLock(name), stranger]) await handle.withLock(() => undefined);
    await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === 2, {
      what: 'both listen',
    });

    const counter = await countCommands(kit.admin);
    const executed = (count: number) =>
      waitUntil(async () => ((await counter.delta())['evalsha'] ?? 0) >= count, { what: `${count} commands` });
    if (command === 'the ask') proxy.hold('down');
    let going = true;
    const task = async () => {
      while (going) await client.getLock(name).withLock(() => undefined);
    };
    const tasks = Promise.all([task(), task(), task(), task()]);
    if (command === 'a renewal') {
      await waitUntil(() => client.stats().handoffs.local > 0, { what: 'the lock goes from task to task' });
      proxy.hold('down');
      await executed(2);
    } else {
      await executed(1);
    }
    const waiting = stranger.tryLock(2_500); // before any other renewal could tell
    await waitUntil(() => proxy.heldBytes > 0, { what: 'the reply is on its way' });
    await waitUntil(async () => (await kit.admin.exists(`holdfast_queue:{${name}}`)) === 1, {
      what: 'the stranger waits',
    });
    await turns(5);
    await proxy.heal();
    expect(await waiting).toBe(true);
    going = false;
    await stranger.unlock();
    await tasks;
  });

  it('goes on for no longer than a small tenure when another process waits', async () => {
    const { client, name, lock, stranger } = setUp();
    const tasks = { going: true };
    const task = async () => {
      while (tasks.going) await lock.withLock(() => turns(1));
    };
    const all = Promise.all([1, 2, 3, 4].map(task));
    await stranger.withLock(() => undefined); // connected, and its subscription too
    // The tasks never stop by themselves: without an end of their turn the first of these would wait for ever.
    for (let i = 0; i < 20; i++) await stranger.withLock(() => undefined);
    tasks.going = false;
    await all;
    expect(client.stats().handoffs.local).toBeGreaterThan(0);
    expect(client.stats().handoffs.granted).toBeGreaterThan(10);
    expect(await holdsInRedis(kit, name)).toBe(0);
  });
});

describe('a handoff in memory that waits for the next turn of the event loop', () => {
  it('lets in whoever waits inside, when it has come', async () => {
    const { client, lock } = setUp();
    const leave = new Gate();
    const inside = new Gate();
    const holding = lock.withLock(() => {
      inside.open();
      return leave.opened;
    });
    await inside.opened;
    // A run of handoffs begins with a turn of its own, so that the one after a quiet while does.
    await client.run(async () => {
      const outer = lock.lock();
      const inner = lock.withLock(() => 'inside');
      leave.open();
      await outer;
      expect(await inner).toBe('inside');
      await lock.unlock();
    });
    await holding;
    expect(client.stats().handoffs).toEqual({ local: 1, passed: 0, granted: 0 });
  });
});

describe('a handoff between processes', () => {
  it('shares the lock fairly among 4 processes in a closed loop, also when one of them has many tasks', async () => {
    const name = freshName();
    const patient = { reaskMs: 20_000, claimLeaseMs: 60_000, watchdogTimeoutMs: 600_000 };
    const workers = await Promise.all([1, 2, 3, 4].map(() => spawnLockWorker(kit, patient)));
    await Promise.all(workers.map((worker) => worker.call('cycles', name, 5)));
    await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === workers.length, {
      what: 'all of them listen',
    });
    // Each section lasts until all others stand in line: whom the machine lets run is not asked. So it ends too, one after the other.
    const served = async (tasks: number[]) => {
      const loops = workers.map((worker, i) => worker.call('loop', name, tasks[i] ?? 1, workers.length - 1));
      const haveTurns = async () => {
        const sections = await Promise.all(workers.map((worker) => worker.call('sections')));
        return Math.min(...sections) >= 20;
      };
      await waitUntil(haveTurns, { what: '20 turns for each', timeoutMs: 90_000 });
      for (const worker of workers.toReversed()) await worker.call('stopLoop');
      return Promise.all(loops);
    };
    // At any time they are one turn apart at most, and when it ends each may have one more.
    const apart = (each: number[]) => Math.max(...each) - Math.min(...each);
    expect(apart(await served([1, 1, 1, 1]))).toBeLessThanOrEqual(2);
    // The crowd may use its own turns for many, but the others have turns as before.
    const [crowd = 0, ...others] = await served([50, 1, 1, 1]);
    expect(apart(others)).toBeLessThanOrEqual(2);
    expect(crowd).toBeGreaterThanOrEqual(Math.max(...others) - 2);
    await Promise.all(workers.map((worker) => worker.call('close')));
  }, 120_000);

  it('by grant starts with the claim lease and is raised by the first renewal, however long the section', async () => {
    const options = { claimLeaseMs: 3_000, reaskMs: 2_000, watchdogTimeoutMs: 20_000 };
    const { client, name, lock, stranger } = setUp(options);
    const first = await stranger.acquire();
    const waiting = lock.acquire();
    await queued(client, name, 1);
    await first.release();
    const hold = await waiting;
    expect(client.stats().handoffs.granted).toBe(1);
    expect(hold.remainingMs()).toBeLessThanOrEqual(3_000);
    await waitUntil(() => hold.remainingMs() > 10_000, { what: 'the claim' });
    expect(await kit.admin.pttl(name)).toBeGreaterThan(10_000);
    expect(hold.state).toBe('held');
    await hold.release();
  });

  it('by grant to a fixed lease is raised to that lease and not beyond', async () => {
    const { client, name, lock, stranger } = setUp({ claimLeaseMs: 2_000, reaskMs: 1_000 });
    const first = await stranger.acquire();
    const waiting = lock.acquire({ leaseMs: 4_000 });
    await queued(client, name, 1);
    const releasedAt = performance.now();
    await first.release();
    const hold = await waiting;
    const hadAt = performance.now();
    await waitUntil(() => hold.remainingMs() > 2_000, { what: 'the claim' });
    // Never more than was asked for, from the latest moment at which it can have begun.
    const mostMs = () => hadAt + 4_000 - performance.now();
    while (!hold.signal.aborted) {
      // In this order: what is left only becomes less.
      const [most, leftMs] = [mostMs(), hold.remainingMs()];
      if (leftMs > 0) expect(leftMs).toBeLessThanOrEqual(Math.max(most, 0) + 1);
      await turns(20);
    }
    expect(hold.signal.reason).toMatchObject({ reason: 'expired' });
    expect(performance.now() - releasedAt).toBeGreaterThan(3_500);
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });
});

describe('a fixed lease', () => {
  it('is not prolonged by a question that is sent again after it was answered by a grant', async () => {
    const leaseMs = 3_000;
    const proxy = await openProxy(kit);
    const { client, name, stranger } = setUp();
    const slow = openClient(kit, { reaskMs: 100, redis: proxy.url });
    const first = await stranger.acquire();
    const waiting = slow.getLock(name).acquire({ leaseMs });
    await queued(client, name, 1);
    proxy.hold('up');
    await waitUntil(() => proxy.heldBytes > 0, { what: 'a question on its way' });
    await first.release();
    const hold = await waiting;
    await waitUntil(() => hold.remainingMs() < leaseMs / 2, { what: 'half of the lease' });
    proxy.reset();
    await proxy.heal();
    let mostMs = 0;
    await waitUntil(
      () => {
        mostMs = Math.max(mostMs, hold.remainingMs());
        return hold.signal.aborted;
      },
      { what: 'the end of the lease' },
    );
    expect(mostMs).toBeLessThan(leaseMs / 2);
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
  });
});

describe('a handoff of leases that differ', () => {
  it.each<[{ leaseMs?: number }, { leaseMs?: number }]>([
    [{ leaseMs: 60_000 }, { leaseMs: 20_000 }],
    [{ leaseMs: 20_000 }, { leaseMs: 60_000 }],
    [{}, { leaseMs: 20_000 }],
    [{ leaseMs: 20_000 }, {}],
  ])('gives the next hold its own TTL: %j, then %j', async (before, after) => {
    const { client, name, lock } = setUp();
    const first = await lock.acquire(before);
    const waiting = lock.acquire(after);
    await first.release();
    const next = await waiting;
    const leaseMs = after.leaseMs ?? 30_000;
    for (const leftMs of [await kit.admin.pttl(name), next.remainingMs()]) {
      expect(leftMs).toBeLessThanOrEqual(leaseMs);
      expect(leftMs).toBeGreaterThan(leaseMs * 0.9);
    }
    expect(client.stats().handoffs).toEqual({ local: 0, passed: 1, granted: 0 });
    await next.release();
    expect(await holdsInRedis(kit, name)).toBe(0);
  });

  it('renews a watched hold after a fixed one, and a fixed one after a watched one never', async () => {
    const time = driveTime(kit);
    const { client, lock } = setUp();
    const fixed = await lock.acquire({ leaseMs: 30_000 });
    const waitingWatched = lock.acquire();
    await fixed.release();
    const watched = await waitingWatched;
    for (const count of [1, 2, 3, 4]) {
      await time.advance(10_000);
      await waitUntil(() => confirmedRenewals(client) >= count, { what: `${count} renewals` });
    }
    const waitingFixed = lock.acquire({ leaseMs: 30_000 });
    await watched.release();
    const last = await waitingFixed;
    const { renewed } = client.stats().renewals;
    await time.advance(30_000);
    expect(last.state).toBe('lost');
    expect(last.signal.reason).toMatchObject({ reason: 'expired' });
    expect(client.stats().renewals.renewed).toBe(renewed);
  });

  it('excludes all others while it is on its way', async () => {
    const { lock, stranger } = setUp();
    const room = new Room();
    const enter = (handle: typeof lock, i: number) =>
      handle.withLock(i % 3 === 0 ? {} : { leaseMs: 1_000 * (1 + (i % 4)) }, () => room.visit());
    await Promise.all(Array.from({ length: 40 }, (_, i) => enter(i % 5 === 0 ? stranger : lock, i)));
    expect(room).toMatchObject({ visits: 40, most: 1 });
  });

  it('shows the explicit owner that holds it, also when another one waited for it in the same process', async () => {
    const { client, name } = setUp();
    const first = await client.getLock(name, { owner: 'worker-1' }).acquire();
    const waiting = client.getLock(name, { owner: 'worker-2' }).acquire();
    await first.release();
    const second = await waiting;
    expect((await client.inspect(name)).owner?.id).toMatch(/^worker-2:/);
    await second.release();
  });
});
