import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis(startPrivateRedis);

it('a password that was put right is no reason any more when the connection is cut later', async () => {
  const rights = ['on', '~*', '&*', '+@all'];
  await kit.admin.acl('SETUSER', 'app', 'reset', '>another', ...rights);
  const { host, port } = kit.server;
  const redis = new Redis({ host, port, username: 'app', password: 'right', disconnectTimeout: 100 });
  redis.on('error', () => undefined);
  kit.cleanup(() => redis.disconnect());
  const client = openClient(kit, { redis });
  expect(await failureOf(client.connect())).toMatchObject({ message: expect.stringMatching(/user name or password/) });
  await kit.admin.acl('SETUSER', 'app', 'reset', '>right', ...rights);
  await waitUntil(
    () =>
      client.connect().then(
        () => true,
        () => false,
      ),
    { what: 'the password to be right' },
  );
  // Between two connections: the client has heard of the end before, since it listened first.
  const locked = new Promise<boolean>((resolve, reject) => {
    redis.once('close', () => void client.getLock(freshName()).tryLock(10_000).then(resolve, reject));
  });
  await kit.admin.client('KILL', 'USER', 'app');
  expect(await locked).toBe(true);
});
