import { semaphoreKeys } from '@holdfast/core';
import { startPrivateRedis, useRedis } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { createLockClient } from 'holdfast';
import { closePools } from '../src/campaign/pools.js';

const kit = useRedis(startPrivateRedis);

const inAll = 3;

/** Of three permits one is free, two are in use, and whoever had them is gone. */
async function left(name: string): Promise<void> {
  const client = createLockClient({ redis: { port: kit.server.port, host: kit.server.host } });
  await client.getPermitExpirableSemaphore(name, { permits: inAll }).acquireMany(2, 60_000);
  await client.close();
}

it('finds nothing wrong with permits that are free or in a record, and leaves no key of them', async () => {
  const admin = await kit.server.admin();
  await left('whole');
  expect(await closePools(admin, [{ name: 'whole', inAll }])).toEqual([]);
  const { count, permits } = semaphoreKeys('whole');
  expect(await admin.exists(count, permits)).toBe(0);
});

it('names each semaphore with a permit too few or too many, or without its counter', async () => {
  const admin = await kit.server.admin();
  const pools = ['whole', 'few', 'many', 'bare'].map((name) => ({ name, inAll }));
  for (const { name } of pools) await left(name);
  await admin.decr(semaphoreKeys('few').count);
  await admin.incr(semaphoreKeys('many').count);
  await admin.del(semaphoreKeys('bare').count);
  expect(await closePools(admin, pools)).toEqual([
    'few has 0 free permits and 2 in records, of 3',
    'many has 2 free permits and 2 in records, of 3',
    'bare has no counter of free permits and 2 in records, of 3',
  ]);
});
