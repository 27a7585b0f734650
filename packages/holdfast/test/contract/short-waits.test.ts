/** What a call says whose time is over before Redis has answered: `waitMs` bounds it, and only evidence makes Redis unavailable. */

import { driveTime, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import { stall, stallUntilThere } from '../support/stall.js';

const kit = useRedis(startPrivateRedis);

async function warm(client: LockClient): Promise<LockClient> {
  await client.getLock(freshName()).withLock(() => undefined);
  return client;
}

/** What a call came to, in words. */
async function outcomeOf(call: Promise<unknown>): Promise<unknown> {
  return call.then(
    (value) => (typeof value === 'boolean' || value === null ? value : 'had'),
    (error: { code?: string }) => error.code ?? error,
  );
}

describe('on a healthy server', () => {
  it('short waits as the first thing a process does have the lock or find it busy', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    const calls = Array.from({ length: 200 }, (_, i) => lock.tryAcquire({ waitMs: 1 + (i % 20), leaseMs: 400 }));
    const outcomes = new Set(await Promise.all(calls.map(outcomeOf)));
    outcomes.delete('had');
    expect([...outcomes]).toEqual([null]);
  });

  it.each([5, 40])(
    'a wait of %d ms has the lock, when the answer has come while the loop stood still',
    async (waitMs) => {
      const client = await warm(openClient(kit));
      const name = freshName();
      const got = client.getLock(name).tryLock(waitMs);
      stallUntilThere(kit.server, name);
      stall(waitMs);
      expect(await got).toBe(true);
    },
  );

  it('a short wait for a busy lock says busy, although the loop stood still', async () => {
    const name = freshName();
    await openClient(kit).getLock(name).lock();
    const client = await warm(openClient(kit));
    const calls = [client.getLock(name).tryLock(5), client.getLock(name).tryAcquire({ waitMs: 5 })];
    stall(30);
    expect(await Promise.all(calls.map(outcomeOf))).toEqual([false, null]);
  });

  it('no first call finds Redis unavailable because the loop stood still while it was being connected to', async () => {
    const times = { attemptTimeoutMs: 1_000, responseTimeoutMs: 1_500 };
    const first = (call: (client: LockClient) => Promise<unknown>) => {
      const client = openClient(kit, times);
      return outcomeOf(call(client));
    };
    const calls = [
      first((client) => client.getLock(freshName()).tryLock()),
      first((client) => client.getLock(freshName()).tryLock(300)),
      first((client) => client.getLock(freshName()).acquire({ waitMs: 20_000 })),
      ...[0, 20_000, undefined].map((waitMs) =>
        first((client) => client.share(freshName(), { ttlMs: 1_000, waitMs, fn: () => 'shared' })),
      ),
    ];
    stall(1_600);
    expect(await Promise.all(calls)).toEqual([true, expect.any(Boolean), 'had', 'had', 'had', 'had']);
  });
});

describe('a server that does not answer for a moment', () => {
  it('is told short waits as a lock that they did not get, with what is known in the message', async () => {
    const client = await warm(openClient(kit));
    await kit.server.stopProcess();
    try {
      const lock = client.getLock(freshName());
      const calls = [lock.tryLock(5), lock.tryAcquire({ waitMs: 20 }), lock.tryWithLock({ waitMs: 30 }, () => 'ran')];
      const timeout = await failureOf(lock.acquire({ waitMs: 40 }));
      expect(await Promise.all(calls)).toEqual([false, null, { ran: false }]);
      expect(timeout).toMatchObject({ code: 'LOCK_TIMEOUT', message: expect.stringMatching(/no answer.* yet/) });
    } finally {
      await kit.server.continueProcess();
    }
  });

  it('is unavailable once it has owed an answer for attemptTimeoutMs, to short waits too', async () => {
    const client = await warm(openClient(kit, { attemptTimeoutMs: 200 }));
    const lock = client.getLock(freshName());
    await kit.server.stopProcess();
    try {
      expect(await outcomeOf(lock.tryLock(20))).toBe(false);
      expect(await outcomeOf(lock.tryLock(500))).toBe('LOCK_UNAVAILABLE');
      // Time in which this process stood still, on a busy machine, is not held against the server.
      const short = () => outcomeOf(lock.tryLock(5));
      await waitUntil(async () => (await short()) === 'LOCK_UNAVAILABLE', { what: 'short waits to be told' });
    } finally {
      await kit.server.continueProcess();
    }
  });
});

describe('a connection that broke and is back', () => {
  it('is told to a call, whose answer is owed for a moment only, as a lock that it did not get: Redis has refused nothing', async () => {
    const proxy = await openProxy(kit);
    const time = driveTime(kit);
    const client = openClient(kit, { redis: proxy.url });
    const name = freshName();
    await client.getLock(name).withLock(() => undefined);
    await kit.admin.client('PAUSE', 60_000, 'WRITE');
    kit.cleanup(() => kit.admin.client('UNPAUSE'));
    const asked = async () => String(await kit.admin.client('LIST')).match(/ flags=\w*b/g)?.length ?? 0;
    const outcome = outcomeOf(client.getLock(name).tryLock(700));
    await waitUntil(async () => (await asked()) === 1, { what: 'the ask' });
    proxy.reset();
    await waitUntil(async () => (await asked()) === 0, { what: 'the end of its connection' });
    await waitUntil(
      async () => {
        await time.advance(10);
        return (await asked()) === 1;
      },
      { what: 'the ask on the next connection' },
    );
    await time.advance(700);
    expect(await outcome).toBe(false);
  });
});

describe('a connection that is known to be down', () => {
  it('makes Redis unavailable however short the wait', async () => {
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: `redis://${proxy.host}:${proxy.port}` });
    const lock = client.getLock(freshName());
    await warm(client);
    proxy.refuse();
    proxy.reset();
    await waitUntil(async () => (await outcomeOf(lock.tryLock(1))) === 'LOCK_UNAVAILABLE', { what: 'it is known' });
    expect(await outcomeOf(lock.tryLock(5))).toBe('LOCK_UNAVAILABLE');
    await proxy.heal();
    await waitUntil(async () => (await outcomeOf(lock.tryLock(50))) === true, { what: 'it is back' });
  });

  it('makes Redis unavailable before there was any', async () => {
    const client = openClient(kit, { redis: { host: kit.server.host, port: 1 } });
    expect(await outcomeOf(client.getLock(freshName()).tryLock(200))).toBe('LOCK_UNAVAILABLE');
  });
});
