import { once } from 'node:events';
import { useRedis } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { disconnect } from '../src/connection/disconnect.js';

const kit = useRedis();

it('a connection that ioredis calls ready when its socket is gone is ended all the same', async () => {
  const redis = new Redis(kit.server.url, { lazyConnect: true, disconnectTimeout: 1, retryStrategy: () => 60_000 });
  await redis.connect();
  redis.stream.destroy();
  await once(redis, 'reconnecting');
  // ioredis 5.11 does so after a refused password.
  redis.status = 'ready';
  await expect(disconnect(redis)).resolves.toBeUndefined();
});
