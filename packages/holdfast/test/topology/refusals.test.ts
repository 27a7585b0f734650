import { describe, expect, it } from '@jest/globals';
import { type RedisServer, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { LockUnavailableError } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { quick, useCluster } from '../support/topologies.js';

/** Refused for now: nothing has run, and calls wait for better times within their deadline. */
interface Refusal {
  readonly code: string;
  readonly begin: (server: RedisServer) => Promise<unknown>;
  readonly end: (server: RedisServer) => Promise<unknown>;
}

describe('one server that refuses for now', () => {
  const kit = useRedis(startPrivateRedis);
  const nobody = ['127.0.0.1', '1'] as const;
  const refusals: Refusal[] = [
    {
      code: 'READONLY',
      begin: async (server) => (await server.admin()).replicaof(...nobody),
      end: async (server) => (await server.admin()).replicaof('NO', 'ONE'),
    },
    {
      code: 'MASTERDOWN',
      begin: async (server) => {
        const admin = await server.admin();
        await admin.config('SET', 'replica-serve-stale-data', 'no');
        await admin.replicaof(...nobody);
      },
      end: async (server) => {
        const admin = await server.admin();
        await admin.replicaof('NO', 'ONE');
        await admin.config('SET', 'replica-serve-stale-data', 'yes');
      },
    },
    {
      code: 'NOREPLICAS',
      begin: async (server) => (await server.admin()).config('SET', 'min-replicas-to-write', '1'),
      end: async (server) => (await server.admin()).config('SET', 'min-replicas-to-write', '0'),
    },
  ];

  it.each(refusals)(
    '$code: a call that has time waits it out, one that has not says that Redis is unavailable',
    async ({ begin, end }) => {
      const client = openClient(kit, quick);
      const lock = client.getLock(freshName());
      await lock.withLock(() => undefined);
      // Also when the test fails: the next one is about another refusal.
      kit.cleanup(() => end(kit.server));
      await begin(kit.server);
      await expect(lock.tryLock()).rejects.toBeInstanceOf(LockUnavailableError);
      const waiting = lock.acquire({ waitMs: 30_000 });
      await expect(lock.tryLock(200)).rejects.toBeInstanceOf(LockUnavailableError);
      await end(kit.server);
      await (await waiting).release();
    },
  );
});

describe('a Cluster that refuses for now', () => {
  const kit = useCluster();

  it('CLUSTERDOWN: a slot that nobody serves is waited for', async () => {
    const client = kit.open();
    const lock = client.getLock(freshName());
    await lock.withLock(() => undefined);
    const slot = await kit.cluster.slotOf(lock.name);
    const owner = await (await kit.cluster.nodeOfKey(lock.name)).admin();
    await owner.cluster('DELSLOTS', slot);
    await expect(lock.tryLock()).rejects.toBeInstanceOf(LockUnavailableError);
    const waiting = lock.acquire({ waitMs: 30_000 });
    await expect(lock.tryLock(200)).rejects.toBeInstanceOf(LockUnavailableError);
    await owner.cluster('ADDSLOTS', slot);
    await (await waiting).release();
    await kit.cluster.whenReady();
  }, 180_000);

  it('BUSY: a server that runs a long script is waited for', async () => {
    const client = kit.open();
    const lock = client.getLock(freshName());
    await lock.withLock(() => undefined);
    const server = await kit.cluster.nodeOfKey(lock.name);
    const admin = await server.admin();
    await admin.config('SET', 'busy-reply-threshold', '50');
    const blocker = admin.duplicate();
    kit.cleanup(() => blocker.disconnect());
    const script = blocker.eval('while true do end', 1, lock.name).catch((error: unknown) => String(error));
    const busy = () =>
      admin.get(lock.name).then(
        () => false,
        (error: unknown) => String(error).includes('BUSY'),
      );
    await waitUntil(busy, { what: 'the script to block the server' });
    const waiting = lock.acquire({ waitMs: 30_000 });
    await expect(lock.tryLock()).rejects.toBeInstanceOf(LockUnavailableError);
    await admin.script('KILL');
    await (await waiting).release();
    expect(await script).toContain('killed');
    await kit.cluster.whenReady();
  }, 180_000);
});
