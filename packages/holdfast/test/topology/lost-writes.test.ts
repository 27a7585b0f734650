/** What a replica becomes the master without: the last writes of the old one. Their clients live, and know better. */

import { expect, it } from '@jest/globals';
import { faultProxy, startPrivateRedis, useRedis, waitUntil, whenReplicated } from '@holdfast/testkit';
import type { Redis } from 'ioredis';
import { freshName, openClient, warmUp } from '../support/clients.js';
import { openProxy } from '../support/redis-inputs.js';

const args = ['--repl-diskless-sync-delay', '0'];
const kit = useRedis(() => startPrivateRedis({ args }));

/** A replica that can be cut off, and an address that leads to the master until it takes over. */
async function setUp() {
  const link = await faultProxy({ target: kit.server });
  kit.cleanup(() => link.close());
  const replica = await startPrivateRedis({ args, config: `replicaof ${link.host} ${link.port}\n` });
  kit.cleanup(() => replica.stop());
  await whenReplicated(kit.server);
  const admin = await replica.admin();
  const address = await openProxy(kit);
  const open = async () => {
    // So long that nobody is passed over, and nothing is over, by itself.
    const client = openClient(kit, {
      redis: address.url,
      reaskMs: 30_000,
      claimLeaseMs: 60_000,
      attemptTimeoutMs: 20_000,
    });
    await warmUp(kit, client);
    return client;
  };
  const takeOver = async () => {
    address.refuse();
    address.leadTo(replica);
    address.reset();
    await admin.call('REPLICAOF', 'NO', 'ONE');
    await address.heal();
  };
  return { link, replica: admin, address, open, takeOver };
}

it('a waiter that has given up is withdrawn once more where the new master has not heard of it: the lock is not kept for it', async () => {
  const { link, replica, open, takeOver } = await setUp();
  const [holder, leaver, stayer] = [await open(), await open(), await open()];
  const name = freshName();
  const queue = `holdfast_queue:{${name}}`;
  const hold = await holder.getLock(name).acquire();
  const leaving = new AbortController();
  const left = leaver.getLock(name).acquire({ signal: leaving.signal });
  await waitUntil(async () => (await replica.zcard(queue)) === 1, { what: 'its place in the queue to be replicated' });
  link.drop('both');
  leaving.abort();
  await expect(left).rejects.toThrow();
  await waitUntil(async () => (await kit.admin.zcard(queue)) === 0, { what: 'the old master to be told' });
  const next = stayer.getLock(name).acquire({ waitMs: 10_000 });
  await waitUntil(async () => (await kit.admin.zcard(queue)) === 1, { what: 'another to wait' });
  await takeOver();
  await hold.release();
  await (await next).release();
}, 120_000);

it('a client that is closed in the midst of telling what it had given back tells all of it', async () => {
  const { link, replica, address, open, takeOver } = await setUp();
  const client = await open();
  const holds = await Promise.all(Array.from({ length: 250 }, () => client.getLock(freshName()).acquire()));
  await whenReplicated(kit.server);
  const names = holds.map(({ name }) => name);
  expect(await replica.exists(names)).toBe(250);
  link.drop('both');
  await Promise.all(holds.map((hold) => hold.release()));
  // What leaves it together comes together.
  address.delay(100);
  await takeOver();
  await waitUntil(async () => (await replica.exists(names)) < 250, { what: 'the first to be told', timeoutMs: 10_000 });
  await client.close();
  expect(await replica.exists(names)).toBe(0);
}, 120_000);

it('permits whose ids were given back are given back once more where the new master still has them: without a lease they would never come back', async () => {
  const { link, replica, open, takeOver } = await setUp();
  const client = await open();
  const seats = client.getPermitExpirableSemaphore(freshName());
  // With an end, for nothing of it to stay.
  await seats.trySetPermits(3, 600_000);
  const ids = await seats.tryAcquireMany(2);
  const kept = await seats.acquire();
  const records = `holdfast_sem_permits:{${seats.name}}`;
  const all = [...ids, kept];
  await waitUntil(async () => (await replica.hmget(records, ...all)).every((one) => one !== null), {
    what: 'the permits to be replicated',
  });
  link.drop('both');
  await seats.release(ids);
  await takeOver();
  await waitUntil(async () => (await replica.hmget(records, ...ids)).every((one) => one === null), {
    what: 'the new master to be told',
    timeoutMs: 10_000,
  });
  expect(await seats.acquiredPermits()).toBe(1);
  expect(await seats.tryRelease(kept)).toBe(true);
}, 120_000);

it('permits whose ids nobody came to know are given back once more too: their call had ended before Redis told them', async () => {
  const { link, replica, address, open, takeOver } = await setUp();
  const client = await open();
  const seats = client.getPermitExpirableSemaphore(freshName());
  await seats.trySetPermits(3, 600_000);
  const records = `holdfast_sem_permits:{${seats.name}}`;
  const ids = async (redis: Redis) => (await redis.hkeys(records)).filter((field) => field.includes(':'));
  // So that the server knows the scripts.
  await seats.release(await seats.acquire());
  // It issues the id, and there is no way to hear of it.
  address.loseNextReply({ after: (request) => request.includes('never') });
  address.refuse();
  const leaving = new AbortController();
  const left = seats.acquire('never', { signal: leaving.signal });
  await waitUntil(() => address.repliesLost === 1, { what: 'the id to be issued' });
  leaving.abort();
  await expect(left).rejects.toThrow();
  await whenReplicated(kit.server);
  const [id] = await ids(replica);
  const [, end] = String(await replica.hget(records, String(id))).split(' ');
  // Longer than a hold would last: an id stands for the permit.
  expect(Number(end) - Date.now()).toBeGreaterThan(300_000);
  link.drop('both');
  await address.heal();
  await waitUntil(async () => (await ids(kit.admin)).length === 0, {
    what: 'the old master to be told',
    timeoutMs: 10_000,
  });
  // So that its answer has arrived: what is not answered is sent again anyway.
  expect(await seats.availablePermits()).toBe(3);
  await takeOver();
  await waitUntil(async () => (await ids(replica)).length === 0, {
    what: 'the new master to be told',
    timeoutMs: 10_000,
  });
  expect(await seats.availablePermits()).toBe(3);
}, 120_000);
