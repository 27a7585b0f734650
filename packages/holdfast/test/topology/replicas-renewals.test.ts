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

it('a call that takes over a lock which was asked for with a shorter lease has it once replicas have confirmed its own', async () => {
  const link = await faultProxy({ target: kit.server });
  kit.cleanup(() => link.close());
  const replica = await startPrivateRedis({ args, config: `replicaof ${link.host} ${link.port}\n` });
  kit.cleanup(() => replica.stop());
  await replica.admin();
  await whenReplicated(kit.server);

  const network = await openProxy(kit);
  const client = openClient(kit, {
    redis: network.url,
    attemptTimeoutMs: 10_000,
    responseTimeoutMs: 30_000,
    replicas: { min: 1, timeoutMs: 2_000 },
  });
  const lock = client.getLock(freshName());
  await lock.withLock(() => undefined);
  await replica.stopProcess();
  kit.cleanup(() => replica.continueProcess());
  const givingUp = new AbortController();
  const first = lock.acquire({ leaseMs: 1_500, signal: givingUp.signal });
  const clients = async () => String(await kit.admin.call('CLIENT', 'LIST'));
  await waitUntil(async () => / cmd=wait /.test(await clients()), { what: 'WAIT to wait' });
  const next = lock.acquire({ leaseMs: 60_000, waitMs: 20_000 });
  const told = expect(next).rejects.toMatchObject({ code: 'LOCK_NOT_REPLICATED', required: 1, confirmed: 0 });
  givingUp.abort();
  await expect(first).rejects.toBe(givingUp.signal.reason);
  network.hold('down');
  await replica.continueProcess();
  await waitUntil(() => network.heldBytes > 0, { what: 'the shorter lease to be confirmed' });
  // The replica hears no more, and would end the lock by the shorter lease.
  link.drop('both');
  await network.heal();
  await told;
  await waitUntil(async () => (await kit.admin.exists(lock.name)) === 0, { what: 'the acquisition to be undone' });
}, 180_000);
