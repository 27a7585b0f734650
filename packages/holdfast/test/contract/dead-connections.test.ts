import { driveTime, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { LockUnavailableError } from 'holdfast';
import { Redis } from 'ioredis';
import { openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy, ownDefault } from '../support/redis-inputs.js';

const kit = useRedis(startPrivateRedis);

const attemptTimeoutMs = 100;
const responseTimeoutMs = 250;

it('a connection of our own that answers nothing is replaced, and the call goes on', async () => {
  const proxy = await openProxy(kit);
  const client = openClient(kit, { redis: proxy.url, attemptTimeoutMs });
  await client.getLock('warm').withLock(() => undefined);
  await waitUntil(async () => (await kit.admin.pubsub('CHANNELS')).length > 0, { what: 'its other connection' });
  const clients = async () =>
    [...String(await kit.admin.client('LIST')).matchAll(/\bid=(\d+)/g)].map(([, id]) => Number(id));
  const newest = Math.max(...(await clients()));
  proxy.drop('both');
  const lock = client.getLock('lock');
  const waiting = lock.lock();
  await waitUntil(async () => (await clients()).some((id) => id > newest), { what: 'a new connection' });
  await proxy.heal();
  await waiting;
  await lock.unlock();
  await waitUntil(async () => (await kit.admin.exists('lock')) === 0, { what: 'the lock is free' });
});

it('a connection for messages that has died is replaced when a waiter finds its lock free, and no message had said so', async () => {
  const proxy = await openProxy(kit);
  const redis = ownDefault.open(kit, kit.server) as Redis;
  let closed = 0;
  redis.duplicate = (options) => new Redis(proxy.url, options ?? {}).on('close', () => closed++);
  const client = openClient(kit, { redis, attemptTimeoutMs, claimLeaseMs: 1_000, reaskMs: 300 });
  const inbox = `holdfast_inbox:${client.clientId}`;
  const listens = async () => (await kit.admin.pubsub('CHANNELS', inbox)).length > 0;
  const held = await openClient(kit).getLock('lock').acquire();
  const waiting = client.getLock('lock').acquire();
  await waitUntil(listens, { what: 'the waiter to listen' });
  await waitUntil(async () => (await kit.admin.zcard('holdfast_queue:{lock}')) === 1, { what: 'the waiter to queue' });
  // Neither end hears of the other any more, and the server has found out.
  proxy.drop('both');
  await kit.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
  await held.release();
  expect((await waiting).state).toBe('held');
  await waitUntil(() => closed > 0, { what: 'the connection for messages to be replaced' });
});

describe('when the user has closed their own client', () => {
  it('calls reject at once, a hold is lost at its deadline, and close() settles', async () => {
    const time = driveTime(kit);
    const redis = ownDefault.open(kit, kit.server) as Redis;
    const client = openClient(kit, { redis, attemptTimeoutMs, responseTimeoutMs, watchdogTimeoutMs: 30_000 });
    const hold = await client.getLock('held').acquire();
    await redis.quit();
    await waitUntil(() => redis.status === 'end', { what: 'it is closed' });
    const lock = client.getLock('lock');
    const refused = [lock.tryLock(5_000), lock.lock(), client.inspect('lock')].map(failureOf);
    await time.advance(1);
    for (const error of await Promise.all(refused)) expect(error).toBeInstanceOf(LockUnavailableError);
    await time.advance(30_000);
    expect(hold.state).toBe('lost');
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'unreachable' });
    await client.close();
  });

  it('calls that wait keep their deadline', async () => {
    const time = driveTime(kit);
    const proxy = await openProxy(kit);
    const redis = ownDefault.open(kit, proxy) as Redis;
    const client = openClient(kit, { redis, attemptTimeoutMs, responseTimeoutMs });
    await openClient(kit).getLock('busy').lock();
    const waiting = client.getLock('busy').tryLock(400);
    const nested = client.getLock('nested').withLock(async () => {
      proxy.hold('down');
      const inner = client.getLock('nested').withLock({ waitMs: 200 }, () => 'ran');
      await expect(inner).rejects.toBeInstanceOf(LockUnavailableError);
    });
    await waitUntil(() => proxy.heldBytes > 0, { what: 'a reply under way' });
    redis.disconnect();
    const ended = failureOf(nested);
    const answer = waiting.catch((error: { code?: string }) => error.code);
    await time.advance(400);
    expect(await ended).toBeInstanceOf(LockUnavailableError);
    expect([false, 'LOCK_UNAVAILABLE']).toContain(await answer);
    await proxy.heal();
  });
});
