import { startPrivateRedis, useRedis } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { createLockClient } from 'holdfast';
import { openLatches } from '../src/campaign/latches.js';

const kit = useRedis(startPrivateRedis);

it('ends the rounds that nobody has ended, and leaves no key without a time to live', async () => {
  const admin = await kit.server.admin();
  const { host, port } = kit.server;
  const client = createLockClient({ redis: { host, port } });
  await client.getCountDownLatch('begun').trySetCount(3);
  await client.getCountDownLatch('counted').trySetCount(3);
  await client.getCountDownLatch('counted').countDown();
  await client.close();
  await openLatches(admin, ['begun', 'counted', 'never-begun']);
  const keys = await admin.keys('*');
  const immortal = await Promise.all(keys.map(async (key) => (await admin.pttl(key)) < 0));
  expect([keys.filter((key) => !key.startsWith('holdfast_dead:')), immortal.includes(true)]).toEqual([[], false]);
});
