import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient, LockClientOptions } from 'holdfast';
import { Redis } from 'ioredis';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { leaseMs, openFaulty } from '../support/faulty.js';
import { LossRecord, lostFor } from '../support/losses.js';
import { byUrl, type InputWay, ownDefault } from '../support/redis-inputs.js';
import { noteSends } from '../support/sends.js';

const kit = useRedis(startPrivateRedis);
const setUp = (options?: Partial<LockClientOptions>, way?: InputWay) => openFaulty(kit, options, way);

/** Someone else waits for the lock from now on; what the holder is told at the moment they have it. */
async function takenBy(stranger: LockClient, before: Hold): Promise<{ hold: Hold; found: string }> {
  const hold = await stranger.getLock(before.name).acquire();
  return { hold, found: before.state };
}

describe.each([byUrl, ownDefault])('given by $title, a hold is lost before anybody else has the lock', (way) => {
  it.each([
    ['Redis is black-holed', undefined, 'unreachable'],
    ['Redis is black-holed, with a fixed lease', leaseMs, 'expired'],
  ] as const)('when %s', async (_, fixedMs, reason) => {
    const { client, proxy, name, lock, stranger } = await setUp({}, way);
    const hold = await lock.acquire(fixedMs === undefined ? {} : { leaseMs: fixedMs });
    const record = new LossRecord(client, hold);
    proxy.blackHole();
    const next = await takenBy(stranger, hold);
    expect(next.found).toBe('lost');
    await record.aborted();
    expect(await record.told()).toEqual(lostFor(name, reason));
    await proxy.heal();
    await client.getLock(freshName()).withLock(() => undefined);
    next.hold.assertHeld();
    expect(await holdsInRedis(kit, name)).toBe(1);
    await next.hold.release();
  });

  it('when connections to Redis are refused', async () => {
    const { client, proxy, name, lock, stranger } = await setUp({}, way);
    const hold = await lock.acquire();
    const record = new LossRecord(client, hold);
    proxy.refuse();
    proxy.reset();
    const next = await takenBy(stranger, hold);
    expect(next.found).toBe('lost');
    await record.aborted();
    expect(await record.told()).toEqual(lostFor(name, 'unreachable'));
    await next.hold.release();
    await proxy.heal();
  });

  it('when Redis is stopped', async () => {
    const { client, name, lock } = await setUp({}, way);
    const hold = await lock.acquire();
    const record = new LossRecord(client, hold);
    const next = takenBy(openClient(kit), hold);
    await kit.server.stopProcess();
    try {
      await record.aborted();
    } finally {
      await kit.server.continueProcess();
    }
    expect(await record.told()).toEqual(lostFor(name, 'unreachable'));
    expect((await next).found).toBe('lost');
    await (await next).hold.release();
  });

  it('when Redis is killed and stays away', async () => {
    const { client, name, lock } = await setUp({}, way);
    const record = new LossRecord(client, await lock.acquire());
    await kit.server.kill();
    try {
      await record.aborted();
    } finally {
      await kit.server.restart();
    }
    expect(await record.told()).toEqual(lostFor(name, 'unreachable'));
  });

  it('when a fixed lease has run out', async () => {
    const { client, name, lock, stranger } = await setUp({}, way);
    const hold = await lock.acquire({ leaseMs: 300 });
    const record = new LossRecord(client, hold);
    const next = await takenBy(stranger, hold);
    expect(next.found).toBe('lost');
    await record.aborted();
    expect(await record.told()).toEqual(lostFor(name, 'expired'));
    expect(await holdsInRedis(kit, name)).toBe(1);
    await next.hold.release();
  });

  it('when maxHoldMs is reached, however well renewals go', async () => {
    // A lease of which a third is long on a slow machine.
    const { client, name, lock, stranger } = await setUp({ watchdogTimeoutMs: 1_800 }, way);
    const startedAt = performance.now();
    const hold = await lock.acquire({ maxHoldMs: 2_400 });
    const record = new LossRecord(client, hold);
    const next = await takenBy(stranger, hold);
    expect(next.found).toBe('lost');
    await record.aborted();
    expect((await record.aborted()) - startedAt).toBeGreaterThan(2_350);
    expect(client.stats().renewals.renewed).toBeGreaterThan(0);
    expect(await record.told()).toEqual(lostFor(name, 'max-hold'));
    await next.hold.release();
  });
});

it.each([
  ['maxHoldMs is reached', { maxHoldMs: 300 }],
  ['a fixed lease is over', { leaseMs: 300 }],
])('what gives the lock to others leaves when all have been told that %s', async (_, options) => {
  const redis = new Redis(kit.server.url);
  kit.cleanup(() => redis.disconnect());
  const client = openClient(kit, { redis });
  const hold = await client.getLock(freshName()).acquire(options);
  const happened: string[] = [];
  noteSends(redis, happened);
  hold.signal.addEventListener('abort', () => happened.push('aborted'));
  client.on('lost', () => happened.push('told'));
  await waitUntil(() => happened.includes('told'), { what: 'it is over' });
  expect(happened.slice(happened.indexOf('aborted'))).toEqual(['aborted', 'told', 'sent']);
});

it('what a listener of the loss asks of another lock is sent at once, and not behind the next listener', async () => {
  const redis = new Redis(kit.server.url);
  kit.cleanup(() => redis.disconnect());
  const client = openClient(kit, { redis });
  const hold = await client.getLock(freshName()).acquire({ maxHoldMs: 300 });
  const other = client.getLock(freshName());
  const happened: string[] = [];
  const attempt = new Promise((resolve) => {
    hold.signal.addEventListener('abort', () => {
      noteSends(redis, happened);
      happened.push('asked');
      resolve(other.tryLock());
    });
  });
  hold.signal.addEventListener('abort', () => happened.push('told'));
  expect(await attempt).toBe(true);
  expect(happened).toEqual(['asked', 'sent', 'told', 'sent']);
});

it('one attempt at the same lock, made by a listener of the loss, comes behind what gives it back', async () => {
  const lock = openClient(kit).getLock(freshName());
  const hold = await lock.acquire({ maxHoldMs: 300 });
  const attempt = new Promise((resolve) => {
    hold.signal.addEventListener('abort', () => resolve(lock.tryLock()));
  });
  expect(await attempt).toBe(true);
});

it('a section that outlasts the maxHoldMs of the hold around it has its value, also when the answer to its release comes late', async () => {
  const { lock, proxy } = await setUp({});
  const outer = await lock.acquire({ maxHoldMs: 300 });
  const over = performance.now() + 300;
  const inner = outer.run(() =>
    lock.withLock(async (hold) => {
      await waitUntil(() => performance.now() > over, { what: 'the end of the hold around it' });
      hold.assertHeld();
      proxy.hold('down');
      return 7;
    }),
  );
  await waitUntil(() => outer.state === 'lost', { what: 'that hold to be lost' });
  await proxy.heal();
  await expect(inner).resolves.toBe(7);
  expect(outer.signal.reason).toMatchObject({ reason: 'max-hold' });
});

describe('a lock that is taken away in Redis is lost at the next renewal', () => {
  const remove = (name: string) => kit.admin.del(name);
  it.each([
    ['all is flushed', 'deleted', () => kit.admin.flushall()],
    ['the key is deleted', 'deleted', remove],
    [
      'another owner is written',
      'taken',
      (name: string) =>
        kit.admin
          .multi()
          .del(name)
          .hset(name, '6f1d2c3b-4a5e-4d6f-8a7b-9c0d1e2f3a4b:1', '1')
          .pexpire(name, 5_000)
          .exec(),
    ],
  ] as const)('when %s', async (_, reason, take) => {
    for (const options of [{}, { leaseMs: 2 * leaseMs }]) {
      const { client, name, lock } = await setUp();
      const record = new LossRecord(client, await lock.acquire(options));
      await take(name);
      await record.aborted();
      expect(await record.told()).toEqual(lostFor(name, reason));
      await client.close();
      expect(await kit.admin.hkeys(name)).toEqual(reason === 'taken' ? ['6f1d2c3b-4a5e-4d6f-8a7b-9c0d1e2f3a4b:1'] : []);
    }
  });

  it('when Redis has restarted empty: as soon as it is back', async () => {
    const { client, name, lock } = await setUp({ watchdogTimeoutMs: 30_000 });
    const record = new LossRecord(client, await lock.acquire());
    await kit.server.restart();
    await record.aborted();
    expect(await record.told()).toEqual(lostFor(name, 'deleted'));
  });

  it('and a restart keeps nobody waiting: who is first afterwards gets the lock', async () => {
    const { client, name, lock, stranger } = await setUp({ watchdogTimeoutMs: 30_000 });
    const record = new LossRecord(client, await lock.acquire());
    const waiting = stranger.getLock(name).acquire();
    await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'it waits' });
    await kit.server.restart();
    const hold = await waiting;
    await record.aborted();
    expect(await record.told()).toMatchObject({ state: 'lost' });
    hold.assertHeld();
    expect(await holdsInRedis(kit, name)).toBe(1);
    await hold.release();
  });

  it('and a call of the same process that waits behind it gets the lock afresh', async () => {
    const { client, name, lock } = await setUp();
    const record = new LossRecord(client, await lock.acquire());
    const waiting = lock.acquire();
    await remove(name);
    const hold = await waiting;
    expect(await record.told()).toEqual(lostFor(name, 'deleted'));
    hold.assertHeld();
    expect(await holdsInRedis(kit, name)).toBe(1);
    await hold.release();
  });
});

describe('a forced lock', () => {
  it.each([{}, { leaseMs: 30_000 }])('is lost by message, long before a renewal (%j)', async (options) => {
    const { client, name, lock, stranger } = await setUp({ watchdogTimeoutMs: 30_000 });
    const record = new LossRecord(client, await lock.acquire(options));
    expect(await stranger.getLock(name).forceUnlock()).toBe(true);
    await record.aborted();
    expect(await record.told()).toEqual(lostFor(name, 'force-unlocked'));
  });

  it('of this process is lost before forceUnlock resolves', async () => {
    const { client, name, lock } = await setUp();
    const record = new LossRecord(client, await lock.acquire());
    const forcing = lock.forceUnlock().then(() => record.abortedAt);
    expect(await forcing).toBeDefined();
    expect(await record.told()).toEqual(lostFor(name, 'force-unlocked'));
  });

  it('is found by the renewal when the message does not arrive', async () => {
    const { client, name, lock, stranger } = await setUp();
    const record = new LossRecord(client, await lock.acquire());
    await kit.admin.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await stranger.getLock(name).forceUnlock();
    await record.aborted();
    expect(await record.told()).toMatchObject({ state: 'lost' });
  });
});

it('close() takes back what is held: the signal aborts, the lock is free', async () => {
  const { client, name, lock, stranger } = await setUp();
  const record = new LossRecord(client, await lock.acquire());
  await client.close();
  expect(await record.told()).toEqual(lostFor(name, 'closed'));
  expect(await stranger.getLock(name).tryLock()).toBe(true);
  await stranger.getLock(name).forceUnlock();
});
