import { useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { notifyAndRetryClient } from '../src/peers/notify-and-retry.js';

const kit = useRedis();

function connection(): Redis {
  const redis = new Redis(kit.server.url);
  kit.cleanup(() => redis.disconnect());
  return redis;
}

it('the notify-and-retry lock that others are compared with excludes, re-enters and wakes its waiters without a poll', async () => {
  const connected = () => notifyAndRetryClient(connection(), connection(), 30_000);
  const clients = [await connected(), await connected()];
  let inside = 0;
  let most = 0;
  const section = async () => {
    most = Math.max(most, ++inside);
    await new Promise((resolve) => setImmediate(resolve));
    inside--;
  };
  const tasks = clients.flatMap((client) => [client.locker(), client.locker(), client.locker()]);
  const cycles = async (locker: (typeof tasks)[number]) => {
    for (let i = 0; i < 20; i++) await locker.run('shared', () => locker.run('shared', section));
  };
  await Promise.all(tasks.map(cycles));
  expect(most).toBe(1);
  await waitUntil(async () => (await kit.admin.pubsub('CHANNELS')).length === 0, { what: 'no subscription is left' });
  expect(await kit.admin.exists('shared')).toBe(0);
});
