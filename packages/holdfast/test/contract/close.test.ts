import { once } from 'node:events';
import { driveTime, faultProxy, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import {
  createLockClient,
  type Hold,
  type LockClient,
  type LockClientOptions,
  LockClientClosedError,
  LockError,
} from 'holdfast';
import { Redis } from 'ioredis';
import { confirmedRenewals, freshName, holdsInRedis, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { Gate, turns } from '../support/room.js';
import { noteSends } from '../support/sends.js';

const kit = useRedis();

const closed = { code: 'LOCK_CLIENT_CLOSED' };

const setUp = (options: Partial<LockClientOptions> = {}) => {
  const client = openClient(kit, options);
  const name = freshName();
  const lock = client.getLock(name);
  return { client, name, lock, free: async () => !(await kit.admin.exists(name)) };
};

/** A lock that another client holds, with somebody of `waiter` behind it. */
async function queued(waiter: { name: string; lock: { lock(): Promise<void> } }) {
  const holder = await openClient(kit).getLock(waiter.name).acquire();
  const waiting = failureOf(waiter.lock.lock());
  await waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${waiter.name}}`)) === 1, { what: 'the queue' });
  return { holder, waiting };
}

describe('calls', () => {
  it('that wait for another process reject, leave the queue, and are granted nothing later', async () => {
    const situation = setUp();
    const { holder, waiting } = await queued(situation);
    await situation.client.close();
    expect(await waiting).toMatchObject({ ...closed, lockName: situation.name });
    expect(await kit.admin.zcard(`holdfast_queue:{${situation.name}}`)).toBe(0);
    await holder.release();
    expect(await situation.free()).toBe(true);
  });

  it('that wait for their own process reject', async () => {
    const { client, lock } = setUp();
    await lock.acquire();
    const waiting = [lock.lock(), lock.acquire(), lock.tryLock(10_000), lock.withLock(() => 1)].map(failureOf);
    await client.close();
    for (const error of await Promise.all(waiting)) expect(error).toBeInstanceOf(LockClientClosedError);
  });

  it.each([0, 500])('that come after it began reject at once, with drainMs %i too', async (drainMs) => {
    const { client, lock, name } = setUp();
    const hold = await lock.acquire();
    const begun = new Gate();
    const inside = drainMs === 0 ? [hold.run(() => begun.opened.then(() => lock.lock()))] : [];
    const closing = client.close({ drainMs });
    begun.open();
    const calls = [
      lock.lock(),
      lock.tryLock(),
      lock.acquire(),
      lock.tryAcquire(),
      lock.withLock(() => 1),
      lock.tryWithLock({}, () => 1),
      lock.isLocked(),
      lock.remainTimeToLive(),
      lock.forceUnlock(),
      ...inside,
      client.getLock(name, { owner: 'me' }).lock(),
      client.inspect(name),
    ];
    for (const error of await Promise.all(calls.map(failureOf))) expect(error).toMatchObject(closed);
    await failureOf(hold.release());
    await closing;
    await expect(lock.lock()).rejects.toMatchObject(closed);
    expect(() => client.getLock('another')).not.toThrow();
  });

  it('unlock tells the truth after it', async () => {
    const { client, lock } = setUp();
    await lock.lock();
    await client.close();
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'closed' });
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
  });

  it.each([0, 1, 2, 3, 4, 5, 6, 8])(
    'on their way for %i turns are answered, and hold nothing afterwards',
    async (count) => {
      const { client, lock, free } = setUp();
      await lock.isLocked();
      const calls = [lock.acquire(), lock.tryAcquire({ waitMs: 1_000 }), lock.tryLock()].map(failureOf);
      await turns(count);
      await client.close();
      await Promise.all(calls);
      expect(await free()).toBe(true);
    },
  );

  it('that re-enter meanwhile do not get in', async () => {
    const { client, lock, free } = setUp();
    const inside = new Gate();
    const outcome = failureOf(
      lock.withLock(async () => {
        const nested = failureOf(lock.withLock(() => 'inside'));
        inside.open();
        expect(await nested).toMatchObject({ code: expect.stringMatching(/LOCK_LOST|LOCK_CLIENT_CLOSED/) });
      }),
    );
    await inside.opened;
    await client.close();
    expect(await outcome).toMatchObject({ code: 'LOCK_LOST', reason: 'closed' });
    expect(await free()).toBe(true);
  });
});

describe.each([{}, { leaseMs: 30_000 }])('holds (%j)', (options) => {
  it('are aborted with reason closed, the locks free in Redis at once, whatever their counts', async () => {
    const { client, lock, free } = setUp();
    const reasons: unknown[] = [];
    client.on('lost', ({ error }) => reasons.push(error.reason));
    const [outer, inner] = [await lock.acquire(options), new Gate()];
    const nested = outer.run(async () => {
      const hold = await lock.acquire(options);
      inner.open();
      return hold;
    });
    await inner.opened;
    const holds = [outer, await nested];
    const signals = holds.map((hold) => hold.signal);
    const closing = client.close();
    await turns();
    expect(signals.map((signal) => (signal.reason as { reason?: string } | undefined)?.reason)).toEqual([
      'closed',
      'closed',
    ]);
    await closing;
    expect(await free()).toBe(true);
    expect(holds.map((hold) => [hold.state, hold.remainingMs()])).toEqual([
      ['lost', 0],
      ['lost', 0],
    ]);
    expect(reasons).toEqual(['closed', 'closed']);
  });

  it.each<[string, (client: LockClient) => Promise<Hold>]>([
    ['a lock', (client) => client.getLock(freshName()).acquire(options)],
    ['a read lock', (client) => client.getReadWriteLock(freshName()).readLock().acquire(options)],
    ['a write lock', (client) => client.getReadWriteLock(freshName()).writeLock().acquire(options)],
  ])('are aborted before anything is sent that gives them back: %s', async (_, acquire) => {
    const redis = new Redis(kit.server.url);
    kit.cleanup(() => redis.disconnect());
    const client = openClient(kit, { redis });
    const hold = await acquire(client);
    const happened: string[] = [];
    noteSends(redis, happened);
    hold.signal.addEventListener('abort', () => happened.push('aborted'));
    await client.close();
    expect(happened.slice(0, 2)).toEqual(['aborted', 'sent']);
  });

  it('are handed to who waits in another process', async () => {
    const { client, lock, name } = setUp();
    await lock.acquire(options);
    const other = openClient(kit);
    const waiting = other.getLock(name).acquire();
    await waitUntil(async () => (await kit.admin.zcard(`holdfast_queue:{${name}}`)) === 1, { what: 'the queue' });
    await client.close();
    await (await waiting).release();
  });
});

describe('drainMs', () => {
  it('waits for the bodies that run, which keep their locks, and for no more than them', async () => {
    const { client, lock, name } = setUp();
    const [inside, finish] = [new Gate(), new Gate()];
    const body = lock.withLock(async ({ signal }) => {
      inside.open();
      await finish.opened;
      return signal.aborted;
    });
    await inside.opened;
    let over = false;
    const closing = client.close({ drainMs: 60_000 }).then(() => {
      over = true;
    });
    await turns(5);
    expect(await holdsInRedis(kit, name)).toBe(1);
    expect(over).toBe(false);
    finish.open();
    expect(await body).toBe(false);
    await closing;
    expect(await holdsInRedis(kit, name)).toBe(0);
  });

  it('lets the bodies that run re-enter their locks, and take no others', async () => {
    const { client, lock, name } = setUp();
    const [inside, goOn] = [new Gate(), new Gate()];
    const body = lock.withLock(async () => {
      inside.open();
      await goOn.opened;
      const other = await client
        .getLock(freshName())
        .tryLock()
        .catch((error: { code: string }) => error.code);
      return [await client.getLock(name).withLock(() => lock.getHoldCount()), other];
    });
    await inside.opened;
    const closing = client.close({ drainMs: 60_000 });
    goOn.open();
    expect(await body).toEqual([2, 'LOCK_CLIENT_CLOSED']);
    await closing;
    await expect(lock.withLock(() => undefined)).rejects.toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
  });

  it('renews leases while it waits', async () => {
    const time = driveTime(kit);
    const { client, lock } = setUp();
    const hold = await lock.acquire();
    const closing = client.close({ drainMs: 60_000 });
    for (const count of [1, 2, 3, 4]) {
      await time.advance(10_000);
      await waitUntil(() => confirmedRenewals(client) >= count, { what: `${count} renewals` });
    }
    expect(hold.state).toBe('held');
    await hold.release();
    await closing;
  });

  it('waits no longer than it says: what is still in use then is aborted', async () => {
    const time = driveTime(kit);
    const { client, lock, free } = setUp();
    const hold = await lock.acquire();
    const closing = client.close({ drainMs: 150 });
    await time.advance(149);
    expect(hold.state).toBe('held');
    await time.advance(1);
    await closing;
    expect(hold.signal.reason).toMatchObject({ reason: 'closed' });
    expect(await free()).toBe(true);
  });

  it('waits for nothing when nothing is held', async () => {
    driveTime(kit);
    const { client, lock } = setUp();
    await lock.withLock(() => undefined);
    await client.close({ drainMs: 60_000 });
  });

  it('does not let waiting calls in when the bodies are done', async () => {
    const { client, lock, free } = setUp();
    const hold = await lock.acquire();
    const waiting = failureOf(lock.lock());
    const closing = client.close({ drainMs: 60_000 });
    expect(await waiting).toMatchObject(closed);
    await hold.release();
    await closing;
    expect(await free()).toBe(true);
  });
});

describe('close itself', () => {
  it('is idempotent: further calls wait for the first', async () => {
    const { client, lock, free } = setUp();
    await lock.acquire();
    const calls = [client.close(), client.close({ drainMs: 60_000 }), client[Symbol.asyncDispose]()];
    await Promise.race(calls);
    expect(await free()).toBe(true);
    await Promise.all(calls);
    await client.close();
  });

  it.each<[string, (client: LockClient, hold: Hold, close: () => void) => void]>([
    ['the event lost', (client, _, close) => client.on('lost', close)],
    ['the signal of a hold', (_, hold, close) => hold.signal.addEventListener('abort', close)],
  ])('resolves for a listener of %s too, which close() tells of a loss and which closes the client', async (_, on) => {
    const { client, lock, free } = setUp();
    const calls: Promise<void>[] = [];
    on(client, await lock.acquire(), () => calls.push(client.close()));
    await client.close();
    expect(calls).toHaveLength(1);
    await Promise.all(calls);
    expect(await free()).toBe(true);
  });

  it('comes at the end of an `await using` block, also by an error', async () => {
    const name = freshName();
    const block = async () => {
      await using client = createLockClient({ redis: kit.server.url });
      await client.getLock(name).lock();
      expect(await kit.admin.exists(name)).toBe(1);
      throw new Error('work failed');
    };
    await expect(block()).rejects.toThrow('work failed');
    expect(await kit.admin.exists(name)).toBe(0);
  });

  it.each([{}, { leaseMs: 30_000 }])(
    'in the middle of a local-handoff storm answers every call, lets nobody in afterwards, and frees the lock (%j)',
    async (options) => {
      const { client, lock, free } = setUp();
      const after = { entered: 0 };
      let isClosed = false;
      let sections = 0;
      const under = new Gate();
      const task = async () => {
        for (;;) {
          await lock.withLock(options, async () => {
            if (isClosed) after.entered++;
            if (++sections === 100) under.open();
            if (sections % 3 === 0) await turns();
          });
        }
      };
      const outcomes = Array.from({ length: 50 }, () => failureOf(task()));
      await under.opened;
      await client.close();
      isClosed = true;
      const codes = (await Promise.all(outcomes)).map((error) => (error as { code?: string }).code);
      expect(codes.filter((code) => code !== 'LOCK_CLIENT_CLOSED').length).toBeLessThanOrEqual(1);
      expect(new Set(codes).size).toBeLessThanOrEqual(2);
      expect(after.entered).toBe(0);
      expect(await free()).toBe(true);
    },
  );

  it('while the next task is being let in gives that task nothing', async () => {
    for (let count = 0; count < 4; count++) {
      const { client, lock, free } = setUp();
      const hold = await lock.acquire();
      const next = failureOf(lock.acquire());
      const released = hold.release();
      for (let i = 0; i < count; i++) await Promise.resolve();
      await client.close();
      await failureOf(released);
      await next;
      expect(await free()).toBe(true);
    }
  });

  it('finishes the cancels of calls that gave up just before', async () => {
    const situation = setUp();
    const { holder, waiting } = await queued(situation);
    const stop = new AbortController();
    const giving = failureOf(situation.lock.acquire({ signal: stop.signal }));
    stop.abort(new Error('enough'));
    expect(await giving).toMatchObject({ message: 'enough' });
    await situation.client.close();
    await waiting;
    expect(await kit.admin.zcard(`holdfast_queue:{${situation.name}}`)).toBe(0);
    expect(await kit.admin.hlen(`holdfast_fresh:{${situation.name}}`)).toBe(0);
    await holder.release();
  });

  it('finishes a release that nobody awaits', async () => {
    const { client, lock, free } = setUp();
    const hold = await lock.acquire();
    const released = hold.release();
    await client.close();
    await released;
    expect(await free()).toBe(true);
  });

  it('before the client was ever used opens no connection', async () => {
    const before = (await kit.admin.info('stats')).match(/total_connections_received:(\d+)/)?.[1];
    await createLockClient({ redis: kit.server.url }).close();
    expect((await kit.admin.info('stats')).match(/total_connections_received:(\d+)/)?.[1]).toBe(before);
  });

  it('while it connects ends the connection', async () => {
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    proxy.hold('down');
    const client = createLockClient({ redis: proxy.url, attemptTimeoutMs: 200 });
    const waiting = failureOf(client.getLock(freshName()).lock());
    await waitUntil(() => proxy.connections > 0, { what: 'the connection' });
    await client.close();
    expect(await waiting).toMatchObject(closed);
    await waitUntil(() => proxy.connections === 0, { what: 'the connection to be gone' });
  });
});

describe('what is left after it', () => {
  const others = async () => {
    const lines = String(await kit.admin.client('LIST'))
      .trim()
      .split('\n');
    return lines.filter((line) => !line.includes('name=holdfast-testkit')).length;
  };

  it('on the server: no subscription, no connection, no key', async () => {
    const before = await others();
    const { client, lock, name } = setUp();
    const other = openClient(kit);
    await lock.lock();
    const waiting = other.getLock(name).acquire();
    await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', 'holdfast_inbox:*')).length === 2, {
      what: 'both inboxes',
    });
    await client.close();
    await (await waiting).release();
    await other.close();
    expect(await kit.admin.pubsub('CHANNELS', '*')).toEqual([]);
    expect(await kit.admin.keys(`*${name}*`)).toEqual([]);
    await waitUntil(async () => (await others()) === before, { what: 'the connections to be gone' });
  });

  it("on the user's Redis: its listeners as they were, an open connection, and ordinary mode", async () => {
    const redis = new Redis(kit.server.url);
    kit.cleanup(() => redis.disconnect());
    redis.on('ready', () => undefined);
    await once(redis, 'ready');
    const listeners = () => Object.fromEntries(redis.eventNames().map((name) => [name, redis.listenerCount(name)]));
    const before = listeners();
    const client = createLockClient({ redis });
    expect(listeners()).not.toEqual(before);
    const name = freshName();
    await client.getLock(name).lock();
    const waiting = failureOf(client.getLock(name).lock());
    await turns(2);
    await client.close();
    expect(await waiting).toMatchObject(closed);
    expect(listeners()).toEqual(before);
    expect(redis.status).toBe('ready');
    expect(redis.mode).toBe('normal');
    expect(await redis.set('mine', '1', 'PX', 1_000)).toBe('OK');
  });

  it('no release without an answer, also of those that stand behind one that Redis never answers', async () => {
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    const client = openClient(kit, { redis: proxy.url, attemptTimeoutMs: 100 });
    const lock = client.getLock(freshName());
    const holds = [await lock.acquire()];
    while (holds.length < 3) holds.unshift(await (holds[0] as Hold).run(() => lock.acquire()));
    proxy.hold('down');
    const releases = holds.map((hold) => failureOf(hold.release()));
    await client.close();
    for (const failure of await Promise.all(releases)) expect(failure).toBeInstanceOf(LockError);
    await proxy.heal();
  });

  it('no error told of a subscription that nobody waited for any more', async () => {
    const errors: unknown[] = [];
    const client = openClient(kit);
    client.on('error', (error) => errors.push(error));
    for await (const leader of client.election(freshName()).observe()) {
      expect(leader).toBeUndefined();
      break;
    }
    await client.close();
    expect(errors).toEqual([]);
  });
});
