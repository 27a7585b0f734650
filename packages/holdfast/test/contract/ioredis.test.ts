import { createRequire } from 'node:module';
import { useRedis } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { Redis as Redis5 } from 'ioredis5';
import { openClient } from '../support/clients.js';
import { spawnLockWorker, usesIoredis5 } from '../support/workers.js';

const kit = useRedis();

it('the contract runs on the lowest ioredis 5 that is supported, or on ioredis 6, and so do its processes', async () => {
  const { version } = createRequire(import.meta.url)('ioredis5/package.json') as { version: string };
  expect(version).toBe('5.4.2');
  expect(Redis === (Redis5 as unknown)).toBe(usesIoredis5);
  const worker = await spawnLockWorker(kit);
  expect(await worker.call('usesIoredis5')).toBe(usesIoredis5);
  // Only ioredis 6 says its own version to the server.
  const client = openClient(kit);
  await client.getLock('lock').isLocked();
  const [ours] = String(await kit.admin.client('LIST'))
    .split('\n')
    .filter((line) => / cmd=evalsha|cmd=eval /.test(line));
  expect(ours).toBeDefined();
});
