import { useRedis, waitUntil } from '@holdfast/testkit';
import { beforeEach, describe, expect, it } from '@jest/globals';
import { createLockClient, type LockClient } from 'holdfast';
import { Redis } from 'ioredis';
import { freshName } from '../support/clients.js';

/** As a tool does that wraps it, and calls code of the user in there. */
function throwingFor(redis: Redis, commands: RegExp) {
  const send = redis.sendCommand.bind(redis);
  let left = 0;
  redis.sendCommand = (command, stream) => {
    if (left === 0 || !commands.test(command.name)) return send(command, stream);
    left--;
    throw new Error('the tool failed');
  };
  return {
    once: () => void left++,
    always: () => void (left = Number.POSITIVE_INFINITY),
    never: () => void (left = 0),
    get thrown() {
      return left === 0;
    },
  };
}

describe('a command that cannot be sent since a wrapper of sendCommand throws', () => {
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

  it.each(calls)('is sent again, and %s comes to what it comes to otherwise', async (_, call, answer) => {
    const name = freshName();
    const failing = throwingFor(redis, /^evalsha$/i);
    failing.once();
    expect(await call(name)).toEqual(answer);
    expect(failing.thrown).toBe(true);
    expect(client.stats()).toMatchObject({ held: 0, waiting: 0 });
  });

  it.each(['release', 'unlock'] as const)('does not keep a lock held behind %s', async (method) => {
    const lock = client.getLock(freshName());
    const failing = throwingFor(redis, /^evalsha$/i);
    await client.run(async () => {
      const hold = method === 'release' ? await lock.acquire() : await lock.lock();
      failing.once();
      await (hold === undefined ? lock.unlock() : hold.release());
    });
    expect(failing.thrown).toBe(true);
    expect(await lock.isLocked()).toBe(false);
  });

  it('is told as the reason, when none can be sent in time, and nothing waits any more', async () => {
    const failing = throwingFor(redis, /^evalsha$/i);
    failing.always();
    const call = client.getLock(freshName()).tryLock(300);
    await expect(call).rejects.toMatchObject({ code: 'LOCK_UNAVAILABLE', cause: { message: 'the tool failed' } });
    expect(client.stats()).toMatchObject({ held: 0, waiting: 0 });
    failing.never();
  });

  it('ends no process when it is a look at the server, and locks are had as before', async () => {
    const failing = throwingFor(redis, /^(info|ping)$/i);
    failing.once();
    redis.disconnect(true);
    expect(await client.getLock(freshName()).withLock(() => 'ran')).toBe('ran');
    await waitUntil(() => failing.thrown, { what: 'a look at the server fails' });
  });
});
