import { once } from 'node:events';
import { driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';

const kit = useRedis();

/** So long that no call ends by it while the test runs. */
const timeoutMs = 600_000;
const closed = {
  code: 'LOCK_UNAVAILABLE',
  message: 'The client cannot connect: the connection to Redis has been closed',
};

describe('connect() of a client on your own connection', () => {
  const setUp = ({ host, port }: { host: string; port: number }) => {
    const redis = new Redis({ host, port, lazyConnect: true, disconnectTimeout: 100 });
    kit.cleanup(() => redis.disconnect());
    return { redis, client: openClient(kit, { redis }) };
  };

  it('rejects at once when you have closed that', async () => {
    const { redis, client } = setUp(kit.server);
    await redis.connect();
    const ended = once(redis, 'end');
    redis.disconnect();
    await ended;
    expect(await failureOf(client.connect({ timeoutMs }))).toMatchObject(closed);
  });

  it('rejects at once when you close it meanwhile', async () => {
    const proxy = await openProxy(kit);
    proxy.blackHole();
    const { redis, client } = setUp(proxy);
    const waiting = failureOf(client.connect({ timeoutMs }));
    await once(redis, 'connect');
    redis.disconnect();
    expect(await waiting).toMatchObject(closed);
    await proxy.heal();
  });
});

it('a client hears messages again when you have connected yours once more after it had given up', async () => {
  const time = driveTime(kit);
  const { host, port } = kit.server;
  const redis = new Redis({ host, port, disconnectTimeout: 100, retryStrategy: () => null });
  kit.cleanup(() => redis.disconnect());
  const client = openClient(kit, { redis });
  await client.connect();
  await Promise.all(['NORMAL', 'PUBSUB'].map((type) => kit.admin.call('CLIENT', 'KILL', 'TYPE', type)));
  await waitUntil(() => redis.status === 'end', { what: 'ioredis to give up' });
  // Long enough for whatever tries again.
  await time.advance(5_000);
  await redis.connect();
  await client.connect();
  expect(client.ready).toBe(true);
});
