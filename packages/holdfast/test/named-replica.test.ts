/** Sentinels that name a replica as the master: it is told, and which. */
import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { openClient } from './support/clients.js';
import { FakeSentinel } from './support/fake-sentinel.js';
import { failureOf } from './support/outcomes.js';

const kit = useRedis(startPrivateRedis);

it('a replica that sentinels name as the master is told, by the event error and by calls, and which it is', async () => {
  const { host, port } = kit.server;
  const replica = await startPrivateRedis({ args: ['--replicaof', host, `${port}`] });
  kit.cleanup(() => replica.stop());
  const sentinel = new FakeSentinel([replica.host, replica.port]);
  await sentinel.listen();
  kit.cleanup(() => sentinel.close());
  const client = openClient(kit, { redis: { sentinels: [sentinel.address], name: 'main' } });
  const told: string[] = [];
  client.on('error', ({ message }) => told.push(message));
  const waiting = failureOf(client.getLock('a').acquire({ waitMs: 30_000 }));
  const words = `the server is a replica, and takes no locks (READONLY at ${replica.host}:${replica.port})`;
  await waitUntil(() => told.some((message) => message.includes(words)), { what: 'it is told' });
  expect(await failureOf(client.connect({ timeoutMs: 10 }))).toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message: expect.stringContaining(words),
  });
  // Waited for: sentinels may learn of the master.
  sentinel.master = [host, port];
  expect(await waiting).toBe(undefined);
});
