import { driveTime, faultProxy, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { Redis } from 'ioredis';
import { allowedName, openAs } from '../support/access-round.js';
import { createUser, password, refusedTo } from '../support/acl-rules.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis(startPrivateRedis);

beforeEach(() => createUser(kit.admin, 'limited', 'locks'));
afterEach(() => kit.admin.acl('DELUSER', 'limited'));

const revoke = (...rules: string[]) => kit.admin.acl('SETUSER', 'limited', ...rules);

const queued = (name: string) =>
  waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === 1, { what: 'the waiter is queued' });

const listening = async ({ clientId }: LockClient) =>
  Number((await kit.admin.pubsub('NUMSUB', `holdfast_inbox:${clientId}`))[1]) === 1;

it('a process that may publish nothing is served all the same by one whose own tasks always want the lock', async () => {
  await revoke('-publish');
  const name = allowedName();
  const busy = openAs(kit, 'default');
  let looping = true;
  const task = async () => {
    while (looping) await busy.getLock(name).withLock(() => undefined);
  };
  const tasks = [task(), task(), task()];
  const served = await openAs(kit, 'limited')
    .getLock(name)
    .tryWithLock({ waitMs: 10_000 }, () => true);
  looping = false;
  await Promise.all(tasks);
  expect(served).toEqual({ ran: true, value: true });
}, 20_000);

it('writers of a process that may publish nothing wait once for a message, and no more until one has come', async () => {
  await revoke('+@all', '~*', '-publish');
  const time = driveTime(kit);
  const client = openAs(kit, 'limited');
  const lock = client.getReadWriteLock(allowedName(), { writersFirst: true }).writeLock();
  await client.connect();
  // To a call that wants a shorter lease it goes by way of Redis.
  const handover = async () => {
    const hold = await lock.acquire({ leaseMs: 60_000 });
    const next = lock.acquire({ leaseMs: 30_000 });
    await hold.release();
    return next;
  };
  const first = handover();
  let isOver = false;
  void first.then(() => (isOver = true));
  await waitUntil(() => time.advance(500).then(() => isOver), { what: 'it has asked again' });
  await (await first).release();
  const asked = time.now();
  for (let round = 0; round < 3; round++) await (await handover()).release();
  expect(time.now()).toBe(asked);
});

describe('rights that are taken away while a lock is held', () => {
  it.each([
    ['all of them', ['-@all']],
    ['the keys', ['resetkeys']],
    ['renewing', ['-pexpire']],
  ])('%s: the holder knows of the loss before anybody else has the lock', async (_, rules) => {
    const name = allowedName();
    const hold = await openAs(kit, 'limited').getLock(name).acquire();
    const other = openAs(kit, 'default').getLock(name).acquire();
    await queued(name);
    await revoke(...rules);
    const next = await other;
    expect(hold.state).toBe('lost');
    expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'unreachable' });
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await next.release();
  });

  it('together with its connections: the same', async () => {
    const name = allowedName();
    const hold = await openAs(kit, 'limited').getLock(name).acquire();
    const other = openAs(kit, 'default').getLock(name).acquire();
    await queued(name);
    await kit.admin.acl('DELUSER', 'limited');
    const next = await other;
    expect(hold.state).toBe('lost');
    await next.release();
  });
});

describe('rights that are taken away while a call waits without limit', () => {
  it('end it with LOCK_REFUSED, and the lock goes on to others', async () => {
    const name = allowedName();
    const hold = await openAs(kit, 'default').getLock(name).acquire();
    const refused = failureOf(openAs(kit, 'limited').getLock(name).acquire());
    await queued(name);
    await revoke('-@all');
    expect(await refused).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM' });
    const other = openAs(kit, 'default').getLock(name).acquire();
    await hold.release();
    await (await other).release();
  });

  it('and are given back: the place that it could not give up costs those behind it no time', async () => {
    const name = allowedName();
    // What is given to a call that has gone lasts for longer than any call here waits.
    const lasting = { claimLeaseMs: 30_000, watchdogTimeoutMs: 60_000 };
    const holder = openAs(kit, 'default', lasting).getLock(name);
    const hold = await holder.acquire();
    const refused = failureOf(openAs(kit, 'limited', lasting).getLock(name).acquire());
    await queued(name);
    await kit.admin.acl('LOG', 'RESET');
    await revoke('-@all');
    expect(await refused).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM' });
    await waitUntil(async () => (await refusedTo(kit.admin, 'limited')).includes('command eval'), {
      what: 'the place could not be given up',
    });
    await createUser(kit.admin, 'limited', 'locks');
    const other = openAs(kit, 'default', lasting).getLock(name).tryAcquire({ waitMs: 10_000 });
    await waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === 2, { what: 'both are queued' });
    await hold.release();
    expect(await other).not.toBeNull();
    await (await other)?.release();
  });

  it('only the channels: it has the lock all the same, and hears messages again when they are back', async () => {
    const holder = openAs(kit, 'default');
    const waiter = openAs(kit, 'limited');
    const errors: unknown[] = [];
    waiter.on('error', (error) => errors.push(error));
    const turn = async () => {
      const name = allowedName();
      const hold = await holder.getLock(name).acquire();
      const waiting = waiter.getLock(name).acquire();
      await queued(name);
      await hold.release();
      await (await waiting).release();
    };
    await turn();
    await waitUntil(() => listening(waiter), { what: 'the inbox' });
    await revoke('resetchannels');
    await waitUntil(() => errors.length > 0, { what: 'the refusal is reported' });
    expect(String(errors[0])).toMatch(/NOPERM/);
    await turn();
    await revoke('&holdfast_inbox:*');
    await waitUntil(() => listening(waiter), { what: 'the inbox is open again' });
    const { granted } = waiter.stats().handoffs;
    await turn();
    expect(waiter.stats().handoffs.granted).toBe(granted + 1);
  });
});

it('the right to listen: each refusal is told once in a while, however many latches are waited for, and says which connection it is', async () => {
  await revoke('+@all', '~*');
  const client = openAs(kit, 'limited');
  const told: string[] = [];
  client.on('error', (error) => void told.push((error as Error).message));
  await client.connect();
  await revoke('-subscribe', '-unsubscribe');
  for (const name of ['one', 'two', 'three', 'four']) {
    const latch = client.getCountDownLatch(name);
    await latch.trySetCount(1);
    expect(await latch.await(100)).toBe(false);
    await latch.delete();
  }
  await waitUntil(() => told.some((message) => message.includes('unsubscribe')), { what: 'a refusal is told' });
  expect(told).toEqual([...new Set(told)]);
  for (const message of told) expect(message).toMatch(/^The connection for messages/);
});

it('the right to listen: without it the next writer of a process has the lock at once, also with writersFirst', async () => {
  await revoke('+@all', '~*', '-subscribe');
  const client = openAs(kit, 'limited', { reaskMs: 20_000, claimLeaseMs: 30_000 });
  client.on('error', () => undefined);
  const lock = client.getReadWriteLock(allowedName(), { writersFirst: true }).writeLock();
  // The scripts are known to the server.
  await lock.withLock(() => undefined);
  const hold = await lock.acquire({ leaseMs: 10_000 });
  // A shorter lease is asked for anew.
  const next = lock.tryAcquire({ leaseMs: 1_000, waitMs: 4_000 });
  await hold.release();
  await (await next)?.release();
  expect(await next).not.toBeNull();
});

it('a message that was lost is made good by a re-ask, also for a user that may not PING', async () => {
  await revoke('-ping');
  const proxy = await faultProxy({ target: kit.server });
  kit.cleanup(() => proxy.close());
  const redis = new Redis({ host: kit.server.host, port: kit.server.port, username: 'limited', password });
  kit.cleanup(() => redis.disconnect());
  await redis.info();
  // What is duplicated from here on, the connection that listens, goes through the proxy.
  redis.options.port = proxy.port;
  const waiter = openAs(kit, 'default', { redis });
  const name = allowedName();
  const hold = await openAs(kit, 'default').getLock(name).acquire();
  const waiting = waiter.getLock(name).acquire();
  await queued(name);
  await waitUntil(() => listening(waiter), { what: 'the inbox' });
  proxy.hold('down');
  await hold.release();
  expect((await waiting).state).toBe('held');
  await waitUntil(async () => (await refusedTo(kit.admin, 'limited')).includes('command ping'), { what: 'a PING' });
  await proxy.heal();
});

it('a release that was refused, with the call of the process that was to have the lock, says so and is no loss', async () => {
  const name = allowedName();
  const client = openAs(kit, 'limited', { watchdogTimeoutMs: 300_000 });
  const lost: unknown[] = [];
  client.on('lost', (event) => lost.push(event));
  const hold = await client.getLock(name).acquire();
  // A shorter lease is asked for anew.
  const next = failureOf(client.getLock(name).acquire({ leaseMs: 100_000 }));
  await revoke('-hset');
  expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM' });
  expect(await next).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM' });
  await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'the lock is free' });
  expect(lost).toEqual([]);
});

it('a nested release that was refused, together with that of the hold around it, says so and is no loss', async () => {
  const name = allowedName();
  const client = openAs(kit, 'limited', { watchdogTimeoutMs: 300_000 });
  const lost: unknown[] = [];
  client.on('lost', (event) => lost.push(event));
  const outer = await client.getLock(name).acquire();
  const inner = await outer.run(() => client.getLock(name).acquire());
  await revoke('-hset');
  const outcomes = await Promise.all([failureOf(inner.release()), failureOf(outer.release())]);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'NOPERM' });
  await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'the lock is free' });
  expect(lost).toEqual([]);
});

it('a nested release that was refused leaves no count behind: the last one ends the hold whatever is counted', async () => {
  const name = allowedName();
  const lock = openAs(kit, 'limited', { watchdogTimeoutMs: 300_000 }).getLock(name);
  const outer = await lock.acquire();
  const inner = await outer.run(() => lock.acquire());
  await revoke('-hset');
  expect(await failureOf(inner.release())).toMatchObject({ code: 'LOCK_REFUSED' });
  await revoke('+hset');
  await outer.release();
  await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: 'the lock is free' });
});

it('a nested release that was refused does not cut a minimum short: the lock rests whatever is counted', async () => {
  const name = allowedName();
  const lock = openAs(kit, 'limited', { watchdogTimeoutMs: 300_000 }).getLock(name);
  const outer = await lock.acquire({ minHoldMs: 200_000 });
  const inner = await outer.run(() => lock.acquire());
  await revoke('-hset');
  expect(await failureOf(inner.release())).toMatchObject({ code: 'LOCK_REFUSED' });
  await revoke('+hset');
  await outer.release();
  expect(await kit.admin.hkeys(name)).toContain('rest');
});

it.each(['-hset', '-incrby'])(
  'permits of which some are given back are given back once, or not at all: %s',
  async (right) => {
    const name = allowedName();
    const semaphore = openAs(kit, 'default').getSemaphore(name);
    await createUser(kit.admin, 'limited', 'semaphores');
    await semaphore.trySetPermits(5);
    const hold = await openAs(kit, 'limited').getSemaphore(name).acquire(4);
    await revoke(right);
    expect(await failureOf(hold.release(1))).toMatchObject({ code: 'LOCK_REFUSED' });
    expect(await semaphore.availablePermits()).toBe(1);
    await revoke(`+${right.slice(1)}`);
    await hold.release();
    expect(await semaphore.availablePermits()).toBe(5);
    await kit.admin.del(name);
  },
);

it.each(['-zrem', '-incrby'])(
  "permits of Java's clients that are over come back once, or not at all: %s",
  async (right) => {
    const name = allowedName();
    const semaphore = openAs(kit, 'default').getSemaphore(name);
    await createUser(kit.admin, 'limited', 'semaphores');
    await semaphore.trySetPermits(5);
    await kit.admin.multi().decrby(name, 2).zadd(`{${name}}:timeout`, 1, 'one', 2, 'other').exec();
    await revoke(right);
    const asking = openAs(kit, 'limited').getSemaphore(name).tryAcquire(4);
    expect(await failureOf(asking)).toMatchObject({ code: 'LOCK_REFUSED' });
    expect(await semaphore.availablePermits()).toBe(5);
    await kit.admin.del(name, `{${name}}:timeout`);
  },
);

it.each(['-hkeys', '-del'])('no semaphore is begun beside the records of one that has gone: %s', async (right) => {
  const name = allowedName();
  const semaphore = openAs(kit, 'default').getSemaphore(name, { permits: 5 });
  for (const role of ['semaphores', 'sizing']) await createUser(kit.admin, 'limited', role);
  const hold = await semaphore.acquire(4);
  await kit.admin.del(name);
  await revoke(right);
  const asking = openAs(kit, 'limited').getSemaphore(name, { permits: 5 }).tryAcquire(5);
  expect(await failureOf(asking)).toMatchObject({ code: 'LOCK_REFUSED' });
  await hold.release().catch(() => undefined);
  await (await semaphore.acquire(5)).release();
  expect(await semaphore.availablePermits()).toBe(5);
  await kit.admin.del(name);
});
