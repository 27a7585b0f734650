import { startCluster, type TestCluster, waitUntil, whenReplicated } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClientOptions } from 'holdfast';
import { Cluster, type Redis } from 'ioredis';
import { freshName } from '../support/clients.js';
import { useCluster } from '../support/topologies.js';

const kit = useCluster();

/** Re-asks far away, so that only messages can be quick. */
const redisson: Partial<LockClientOptions> = {
  wakeup: 'redisson',
  reaskMs: 20_000,
  claimLeaseMs: 30_000,
  watchdogTimeoutMs: 30_000,
};
const foreigner = 'c0ffee00-0000-4000-8000-000000000000:42';
const channelOf = (name: string) => `redisson_lock__channel:{${name}}`;
const adminOf = async (cluster: TestCluster, name: string): Promise<Redis> => (await cluster.nodeOfKey(name)).admin();

/** As Redisson locks and unlocks, publishing in either world. */
const foreign = (cluster: TestCluster, name: string) => ({
  lock: async () => {
    const admin = await adminOf(cluster, name);
    await admin.multi().hincrby(name, foreigner, 1).pexpire(name, 30_000).exec();
  },
  unlock: async (publish: 'PUBLISH' | 'SPUBLISH') => {
    const admin = await adminOf(cluster, name);
    await admin.multi().del(name).call(publish, channelOf(name), '0').exec();
  },
});

/** How many connections listen to a lock's channel on these servers. */
async function listeners(servers: TestCluster['nodes'], world: 'NUMSUB' | 'SHARDNUMSUB', name: string) {
  const counts = await Promise.all(
    servers.map(async (server) => {
      const [, count] = (await (await server.admin()).call('PUBSUB', world, channelOf(name))) as [string, number];
      return count;
    }),
  );
  return counts.reduce((sum, count) => sum + count, 0);
}

const heardOn = (servers: TestCluster['nodes'], world: 'NUMSUB' | 'SHARDNUMSUB', name: string) =>
  waitUntil(async () => (await listeners(servers, world, name)) > 0, { what: `somebody listens (${world})` });

describe('Redisson mode in a Cluster', () => {
  it.each(['PUBLISH', 'SPUBLISH'] as const)('a waiter is woken by a foreign release that says %s', async (publish) => {
    const name = freshName();
    const { lock, unlock } = foreign(kit.cluster, name);
    await lock();
    const waiting = kit.open(redisson).getLock(name).acquire({ waitMs: 15_000 });
    await heardOn(kit.nodes, 'NUMSUB', name);
    await heardOn([await kit.cluster.nodeOfKey(name)], 'SHARDNUMSUB', name);
    await unlock(publish);
    await (await waiting).release();
  });

  it('a waiter is woken by the release of another client, and nobody listens any more after that', async () => {
    const name = freshName();
    const [client, other] = [kit.open(redisson), kit.open(redisson)];
    const hold = await client.getLock(name).acquire();
    const waiting = other.getLock(name).acquire({ waitMs: 15_000 });
    await heardOn(kit.nodes, 'SHARDNUMSUB', name);
    await hold.release();
    await (await waiting).release();
    const left = async () =>
      (await listeners(kit.nodes, 'NUMSUB', name)) + (await listeners(kit.nodes, 'SHARDNUMSUB', name));
    await waitUntil(async () => (await left()) === 0, { what: 'nobody listens' });
    await Promise.all([client.close(), other.close()]);
    expect(await kit.connections()).toEqual([]);
  });

  it('a waiter whose slot goes to another server listens there', async () => {
    const name = freshName();
    const { lock, unlock } = foreign(kit.cluster, name);
    await lock();
    const errors: unknown[] = [];
    const client = kit.open(redisson).on('error', (error) => errors.push(error));
    const waiting = client.getLock(name).acquire({ waitMs: 15_000 });
    const source = await kit.cluster.nodeOfKey(name);
    await heardOn([source], 'SHARDNUMSUB', name);
    const [target = source] = (await kit.cluster.masters()).filter((node) => node !== source);
    await kit.cluster.migrateSlot(await kit.cluster.slotOf(name), target);
    await heardOn([target], 'SHARDNUMSUB', name);
    await unlock('SPUBLISH');
    await (await waiting).release();
    expect(errors).toEqual([]);
  });

  it('a waiter listens at the new master when the old one has died', async () => {
    const name = freshName();
    const { lock, unlock } = foreign(kit.cluster, name);
    await lock();
    const waiting = kit.open(redisson).getLock(name).acquire({ waitMs: 30_000 });
    const before = await kit.cluster.nodeOfKey(name);
    await heardOn([before], 'SHARDNUMSUB', name);
    // The replica has to have heard of the lock.
    await whenReplicated(before);
    await before.kill();
    const after = await kit.cluster.nodeOfKeyAfter(name, before);
    await heardOn([after], 'SHARDNUMSUB', name);
    await unlock('SPUBLISH');
    await (await waiting).release();
    await before.restart();
    await kit.cluster.whenReady();
  }, 180_000);

  it('servers without sharded channels are not asked for them twice, and nobody hears of it', async () => {
    const cluster = await startCluster({ args: ['--rename-command', 'SSUBSCRIBE', ''] });
    kit.cleanup(() => cluster.stop());
    const startupNodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
    const redis = new Cluster(startupNodes, { lazyConnect: true });
    kit.cleanup(() => redis.disconnect());
    const errors: unknown[] = [];
    const client = kit.open({ ...redisson, redis }).on('error', (error) => errors.push(error));
    for (let i = 0; i < 3; i++) {
      const name = freshName();
      const { lock, unlock } = foreign(cluster, name);
      await lock();
      const waiting = client.getLock(name).acquire({ waitMs: 15_000 });
      await heardOn(cluster.nodes, 'NUMSUB', name);
      await unlock('PUBLISH');
      await (await waiting).release();
    }
    expect(errors).toEqual([]);
  }, 180_000);
});
