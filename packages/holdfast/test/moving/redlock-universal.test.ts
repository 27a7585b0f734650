/** What docs/moving/from-redlock.md says of redlock-universal, tried with both. */
import { startPrivateRedis, useRedis } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { createLockClient, LockRefusedError } from 'holdfast';
import Redlock, { ExecutionError } from 'holdfast/redlock';
import { Redis } from 'ioredis';
import { createLock, IoredisAdapter } from 'redlock-universal';

const kit = useRedis(startPrivateRedis);

function connect(): Redis {
  const redis = new Redis(kit.server.port, kit.server.host);
  kit.cleanup(() => redis.disconnect());
  return redis;
}

const patient = { retryCount: 600, retryDelay: 20 };
const universal = (key: string, retryAttempts: number) =>
  createLock({ adapter: new IoredisAdapter(connect()), key, ttl: 30_000, retryAttempts, retryDelay: 20 });

it('a lock of redlock-universal keeps holdfast/redlock out, which waits for it', async () => {
  const lock = universal('theirs', 0);
  const handle = await lock.acquire();
  await expect(new Redlock([connect()], { retryCount: 0 }).acquire(['theirs'], 30_000)).rejects.toThrow(ExecutionError);
  const waiting = new Redlock([connect()], patient).acquire(['theirs'], 30_000);
  await lock.release(handle);
  await (await waiting).release();
});

it('a lock of holdfast/redlock keeps redlock-universal out, which waits for it', async () => {
  const held = await new Redlock([connect()], { retryCount: 0 }).acquire(['ours'], 30_000);
  await expect(universal('ours', 0).acquire()).rejects.toThrow('already held');
  const lock = universal('ours', 600);
  const waiting = lock.acquire();
  await held.release();
  await lock.release(await waiting);
});

it('getLock is refused where redlock-universal holds the name', async () => {
  const lock = universal('refused', 0);
  const handle = await lock.acquire();
  const client = createLockClient({ redis: { host: kit.server.host, port: kit.server.port } });
  kit.cleanup(() => client.close());
  await expect(client.getLock('refused').tryAcquire()).rejects.toThrow(LockRefusedError);
  await lock.release(handle);
});
