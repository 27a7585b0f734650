import { useRedis, waitUntil } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLockClient, type LockClient } from 'holdfast';
import { Redis } from 'ioredis';
import { freshName } from '../support/clients.js';
import { failingFor, failingToConnect, type Way, ways } from '../support/failing-wrapper.js';

describe('where a wrapper of sendCommand fails once, a command', () => {
  const kit = useRedis();
  let redis: Redis;
  let client: LockClient;

  beforeEach(async () => {
    // The looks at the server are ours alone.
    redis = new Redis(kit.server.port, kit.server.host, { enableReadyCheck: false });
    kit.cleanup(() => redis.disconnect());
    client = createLockClient({ redis });
    kit.cleanup(() => client.close());
    await client.connect();
  });

  const calls: [method: string, call: (name: string) => Promise<unknown>, answer: unknown][] = [
    ['withLock', (name) => client.getLock(name).withLock(() => 'ran'), 'ran'],
    ['tryWithLock', (name) => client.getLock(name).tryWithLock(() => 'ran'), { ran: true, value: 'ran' }],
    ['withLock of a fair lock', (name) => client.getFairLock(name).withLock(() => 'ran'), 'ran'],
    [
      'withLock of a read lock',
      (name) =>
        client
          .getReadWriteLock(name)
          .readLock()
          .withLock(() => 'ran'),
      'ran',
    ],
    ['withLock of two locks', (name) => client.getMultiLock([name, `${name}:too`]).withLock(() => 'ran'), 'ran'],
    ['oncePer', (name) => client.oncePer(name, 1_000, () => 'ran'), { ran: true, value: 'ran' }],
    ['share', (name) => client.share(name, { ttlMs: 1_000, fn: () => 'made' }), 'made'],
    ['isLocked', (name) => client.getLock(name).isLocked(), false],
    ['forceUnlock', (name) => client.getLock(name).forceUnlock(), false],
    ['getCount', (name) => client.getCountDownLatch(name).getCount(), 0],
    ['availablePermits', (name) => client.getSemaphore(name).availablePermits(), 0],
  ];

  describe.each(Object.keys(ways) as Way[])('is sent again, when that %s: ', (way) => {
    it.each(calls)('%s comes to what it comes to otherwise', async (_, call, answer) => {
      const name = freshName();
      const failing = failingFor(redis, /^evalsha$/i, way);
      failing.once();
      expect(await call(name)).toEqual(answer);
      expect(failing.over).toBe(true);
      expect(client.stats()).toMatchObject({ held: 0, waiting: 0 });
    });

    it('where the server has forgotten its scripts, too', async () => {
      await redis.script('FLUSH');
      const failing = failingFor(redis, /^evalsha$/i, way);
      failing.once();
      expect(await client.getLock(freshName()).withLock(() => 'ran')).toBe('ran');
    });
  });

  it.each(['release', 'unlock'] as const)('does not keep a lock held behind %s', async (method) => {
    const lock = client.getLock(freshName());
    const failing = failingFor(redis, /^evalsha$/i);
    await client.run(async () => {
      const hold = method === 'release' ? await lock.acquire() : await lock.lock();
      failing.once();
      await (hold === undefined ? lock.unlock() : hold.release());
    });
    expect(failing.over).toBe(true);
    expect(await lock.isLocked()).toBe(false);
  });

  it('is told as the reason, when none can be sent in time, and nothing waits any more', async () => {
    const failing = failingFor(redis, /^evalsha$/i);
    failing.always();
    const call = client.getLock(freshName()).tryLock(300);
    await expect(call).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: { message: 'the tool failed' } });
    expect(client.stats()).toMatchObject({ held: 0, waiting: 0 });
    failing.never();
  });

  it.each(Object.keys(ways) as Way[])('ends no process when it chooses the database and that %s', async (way) => {
    const third = new Redis(kit.server.port, kit.server.host, { db: 3 });
    kit.cleanup(() => third.disconnect());
    await third.ping();
    const failing = failingFor(third, /^select$/i, way);
    failing.once();
    const other = createLockClient({ redis: third });
    kit.cleanup(() => other.close());
    expect(await other.getLock(freshName()).withLock(() => 'ran')).toBe('ran');
    expect(failing.over).toBe(true);
  });

  it('is sent again when it asks for messages: a client is ready all the same', async () => {
    const failing = failingFor(Redis.prototype, /^subscribe$/i);
    kit.cleanup(() => failing.end());
    failing.once();
    const other = createLockClient({ redis: kit.server.url });
    kit.cleanup(() => other.close());
    await other.connect();
    expect(failing.over).toBe(true);
    expect(other.ready).toBe(true);
  });

  it('ends no process when it is a look at the server, and locks are had as before', async () => {
    const failing = failingFor(redis, /^(info|ping)$/i);
    failing.once();
    redis.disconnect(true);
    expect(await client.getLock(freshName()).withLock(() => 'ran')).toBe('ran');
    await waitUntil(() => failing.over, { what: 'a look at the server fails' });
  });
});

describe('where a wrapper of sendCommand fails at a command with which a connection of ours begins, no process ends and locks are had:', () => {
  const kit = useRedis();
  // Which of these ioredis sends is a matter of its version.
  const commands = ['hello', 'select', 'client', 'info'];
  const cases = commands.flatMap((command) => (Object.keys(ways) as Way[]).map((way) => [command, way] as const));

  it.each(cases)('%s, where it %s', async (command, way) => {
    const failing = failingFor(Redis.prototype, new RegExp(`^${command}$`, 'i'), way);
    kit.cleanup(() => failing.end());
    // The connection for commands, and that for messages.
    failing.once();
    failing.once();
    const client = createLockClient({ redis: `${kit.server.url}/2`, clientName: 'a tool is near' });
    kit.cleanup(() => client.close());
    expect(await client.getLock(freshName()).withLock({ waitMs: 10_000 }, () => 'ran')).toBe('ran');
    await waitUntil(() => client.ready, { what: 'the connection for messages' });
  });

  it('that for messages beside a Redis of yours', async () => {
    const redis = new Redis(kit.server.port, kit.server.host);
    kit.cleanup(() => redis.disconnect());
    await redis.ping();
    const failing = failingFor(Redis.prototype, /^client$/i);
    kit.cleanup(() => failing.end());
    failing.once();
    const client = createLockClient({ redis });
    kit.cleanup(() => client.close());
    await client.connect();
  });
});

describe('where a wrapper of connect fails, and', () => {
  const kit = useRedis();
  const open = () => {
    const client = createLockClient({ redis: kit.server.url });
    kit.cleanup(() => client.close());
    return client;
  };

  it.each(Object.keys(ways) as Way[])(
    '%s, a client has locks all the same, and hears that one is free',
    async (way) => {
      const failing = failingToConnect(Redis.prototype, way);
      kit.cleanup(() => failing.end());
      const [holder, other] = [open(), open()];
      const name = freshName();
      failing.once();
      const hold = await holder.getLock(name).acquire({ waitMs: 5_000 });
      // The connection for commands, and that for messages.
      failing.once();
      failing.once();
      const waiter = other.getLock(name).acquire({ waitMs: 10_000 });
      await waitUntil(() => failing.over && other.ready, { what: 'both connections to be made' });
      await hold.release();
      await (await waiter).release();
    },
  );

  it('always, a call says what the wrapper has said; when it lets them begin, nothing is left of that', async () => {
    const redis = new Redis(kit.server.port, kit.server.host, { lazyConnect: true });
    const failing = failingToConnect(redis, 'throws before it sends');
    kit.cleanup(() => redis.disconnect());
    failing.always();
    const client = createLockClient({ redis, attemptTimeoutMs: 200 });
    kit.cleanup(() => client.close());
    const lock = client.getLock(freshName());
    const cause = { message: 'the tool failed' };
    await expect(lock.tryLock(1_000)).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', cause });
    failing.never();
    expect(await lock.withLock(() => 'ran')).toBe('ran');
  });
});
