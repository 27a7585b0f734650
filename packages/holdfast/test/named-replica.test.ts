/** Sentinels that name a replica as the master: it is told, and which. */
import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { openClient } from './support/clients.js';
import { namedReplica } from './support/named-replica.js';
import { failureOf } from './support/outcomes.js';

const kit = useRedis(startPrivateRedis);

it('a replica that sentinels name as the master is told, by the event error and by calls, and which it is', async () => {
  const { sentinel, words } = await namedReplica(kit);
  const client = openClient(kit, { redis: { sentinels: [sentinel.address], name: 'main' } });
  const told: string[] = [];
  client.on('error', ({ message }) => told.push(message));
  const waiting = failureOf(client.getLock('a').acquire({ waitMs: 30_000 }));
  await waitUntil(() => told.some((message) => message.includes(words)), { what: 'it is told' });
  expect(await failureOf(client.connect({ timeoutMs: 10 }))).toMatchObject({
    code: 'LOCK_UNAVAILABLE',
    message: expect.stringContaining(words),
  });
  // Waited for: sentinels may learn of the master.
  sentinel.master = [kit.server.host, kit.server.port];
  expect(await waiting).toBe(undefined);
});
