/** The real client on a memory server: the same code from `getLock` to the connection, and no Redis. */
import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { ManualClock } from '@holdfast/testkit';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createLockClient, LockClient, type LockClientOptions } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';

const EPOCH_MS = 1_700_000_000_000;
const open: LockClient[] = [];

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

function setUp() {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
  const network = direct(() => server);
  const openMemory = () => memoryRedis({ network, timers: clock }, { lazyConnect: true, enableOfflineQueue: false });
  const client = (options: Partial<LockClientOptions> = {}) => {
    const surroundings = {
      ...systemSurroundings(),
      clock,
      openRedis: () => ({ kind: 'node' as const, redis: openMemory(), ownership: 'ours' as const }),
    };
    const made = createLockClientIn(surroundings, { redis: 'redis://memory', ...options });
    open.push(made);
    return made;
  };
  return { clock, server, client, openMemory };
}

describe('a client on a memory server', () => {
  it('takes a lock and gives it back', async () => {
    const { client, openMemory } = setUp();
    const lock = client().getLock('order');
    const inside = await lock.withLock(() => lock.isLocked());
    expect(inside).toBe(true);
    await expect(lock.isLocked()).resolves.toBe(false);
    const redis = openMemory();
    await redis.connect();
    await expect(redis.keys('*')).resolves.toEqual([]);
    redis.disconnect();
  });

  it('takes one of your own as ioredis hands it over', async () => {
    const { openMemory } = setUp();
    const redis = openMemory();
    const client = createLockClient({ redis });
    open.push(client);
    expect(client).toBeInstanceOf(LockClient);
    await expect(client.getLock('order').withLock(() => 'done')).resolves.toBe('done');
    expect(redis.status).toBe('ready');
    redis.disconnect();
  });

  it('passes the lock on to a waiter of another client', async () => {
    const { client } = setUp();
    const [one, other] = [client().getLock('order'), client().getLock('order')];
    const hold = await one.acquire();
    const waiting = other.acquire();
    await expect(one.tryLock()).resolves.toBe(false);
    await hold.release();
    const next = await waiting;
    expect(next.state).toBe('held');
    await next.release();
  });

  it('keeps a lock for an hour and loses it when the server forgets it', async () => {
    const { client, clock, server } = setUp();
    const hold = await client().getLock('order').acquire();
    await clock.advance(3_600_000);
    expect(hold.state).toBe('held');
    server.flushAll();
    await clock.advance(30_000);
    expect(hold.state).toBe('lost');
  });
});
