/** Releases that a failover loses: the server that is there now is told once more, so that nobody waits for a tenure that has ended. */
import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { turns } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;

/** A master with a replica, and clients of whichever of them is the master. */
function setUp() {
  const clock = new ManualClock();
  const now = () => EPOCH_MS + clock.now();
  let master = new MemoryServer({ now, name: 'first' });
  const replica = new MemoryServer({ now, name: 'second' });
  const network = direct(() => master);
  const open = (): LockClient => {
    const redis = () =>
      memoryRedis(
        { network, timers: clock },
        { lazyConnect: true, enableOfflineQueue: false, maxRetriesPerRequest: 0 },
      );
    const openRedis = () => ({ kind: 'node', redis: redis(), ownership: 'ours' }) as const;
    const client = createLockClientIn({ ...systemSurroundings(), clock, openRedis }, { redis: 'redis://memory' });
    leaks.cleanup(() => client.close());
    return client;
  };
  const replication = master.replicateTo(replica);
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      await clock.advance(10);
      await turns();
    }
  };
  return {
    open,
    /** All that has been written so far, and nothing of what comes later, reaches the replica. */
    replicate: () => replication.arrive(replication.pending),
    pass,
    failOver: async () => {
      const old = master;
      replication.end();
      replica.promote();
      master = replica;
      old.hangUp();
      await pass(1_000);
    },
  };
}

it('a lock whose release a failover has lost is free at once: its client gives it back once more', async () => {
  const { open, replicate, failOver } = setUp();
  const [client, stranger] = [open(), open()];
  const hold = await client.getLock('order').acquire();
  await stranger.getLock('order').isLocked();
  replicate();
  await hold.release();
  await failOver();
  expect(await stranger.getLock('order').tryLock()).toBe(true);
});

it('permits without an end whose return a failover has lost come back', async () => {
  const { open, replicate, failOver } = setUp();
  const [client, stranger] = [open(), open()];
  const permit = await client.getSemaphore('seats', { permits: 1 }).acquire(1, { leaseMs: 'never' });
  replicate();
  await permit.release();
  await failOver();
  expect(await stranger.getSemaphore('seats', { permits: 1 }).availablePermits()).toBe(1);
});

it('a function that ran has used its period up also when a failover has lost that it ended, and no longer than that', async () => {
  const { open, replicate, failOver, pass } = setUp();
  const [client, stranger] = [open(), open()];
  await stranger.getLock('nightly').isLocked();
  await client.oncePer('nightly', 60_000, replicate);
  await pass(20_000);
  await failOver();
  const again = () => stranger.oncePer('nightly', 60_000, () => 'again');
  expect(await again()).toEqual({ ran: false });
  await pass(38_000);
  expect(await again()).toEqual({ ran: false });
  await pass(2_000);
  expect(await again()).toEqual({ ran: true, value: 'again' });
});

it('a minimum is kept also when a failover has lost the release, by nobody and for what is left of it', async () => {
  const { open, replicate, failOver, pass } = setUp();
  const [client, stranger] = [open(), open()];
  await stranger.getLock('order').isLocked();
  const hold = await client.getLock('order').acquire({ minHoldMs: 20_000 });
  replicate();
  await hold.release();
  await failOver();
  expect(await stranger.getLock('order').tryLock()).toBe(false);
  expect(await stranger.inspect('order')).toMatchObject({ owner: { resting: true } });
  await pass(18_000);
  expect(await stranger.getLock('order').tryLock()).toBe(false);
  await pass(1_200);
  expect(await stranger.getLock('order').tryLock()).toBe(true);
});

it('a minimum that was over before the failover keeps nobody out', async () => {
  const { open, replicate, failOver, pass } = setUp();
  const [client, stranger] = [open(), open()];
  await stranger.getLock('order').isLocked();
  const hold = await client.getLock('order').acquire({ minHoldMs: 5_000 });
  replicate();
  await hold.release();
  await pass(5_000);
  await failOver();
  expect(await stranger.getLock('order').tryLock()).toBe(true);
});
