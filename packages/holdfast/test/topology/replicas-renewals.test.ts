import { faultProxy, startPrivateRedis, useRedis, waitUntil, whenReplicated } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { freshName, openClient } from '../support/clients.js';
import { openProxy } from '../support/redis-inputs.js';

const args = ['--repl-diskless-sync-delay', '0'];
const kit = useRedis(() => startPrivateRedis({ args }));

// What the model says too: npm run spec -- --only replicas-renewal-lost
it('a limit: replicas confirm acquisitions, not renewals; a new master that missed one may grant the lock while its cut-off holder believes', async () => {
  const link = await faultProxy({ target: kit.server });
  kit.cleanup(() => link.close());
  const replica = await startPrivateRedis({ args, config: `replicaof ${link.host} ${link.port}\n` });
  kit.cleanup(() => replica.stop());
  const replicaAdmin = await replica.admin();
  await whenReplicated(kit.server);

  const network = await openProxy(kit);
  const client = openClient(kit, {
    redis: network.url,
    // A busy machine confirms late, and how late is not the matter here.
    attemptTimeoutMs: 10_000,
    replicas: { min: 1 },
    watchdogTimeoutMs: 4_500,
  });
  const name = freshName();
  const hold = await client.getLock(name).acquire();
  expect(await replicaAdmin.exists(name)).toBe(1);

  // The replica falls behind; renewals go on, and count.
  link.drop('both');
  const { renewed } = client.stats().renewals;
  await waitUntil(() => client.stats().renewals.renewed >= renewed + 2, { what: 'two renewals', timeoutMs: 10_000 });
  // It becomes the master of everybody else.
  network.hold('both');
  await replicaAdmin.call('REPLICAOF', 'NO', 'ONE');
  const rival = await openClient(kit, { redis: replica.url }).getLock(name).acquire({ waitMs: 10_000 });
  expect(rival.state).toBe('held');
  expect(['held', 'suspect']).toContain(hold.state);
  // It ends by its own clock, as ever.
  await waitUntil(() => hold.state === 'lost', { what: 'the hold to end', timeoutMs: 10_000 });
  await rival.release();
  await network.heal();
}, 180_000);
