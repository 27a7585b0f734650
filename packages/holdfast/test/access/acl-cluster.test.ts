import { guardLeaks, startCluster, type TestCluster, waitUntil } from '@holdfast/testkit';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLockClient } from 'holdfast';
import { Cluster } from 'ioredis';
import { allowedName, unhurried } from '../support/access-round.js';
import { createUserOn, password, refusedTo } from '../support/acl-rules.js';

const startMs = 60_000;

describe('in a Cluster', () => {
  const leaks = guardLeaks({ graceMs: 5_000 });
  let cluster: TestCluster;

  beforeAll(async () => {
    cluster = await startCluster();
    await createUserOn(cluster.nodes, 'limited', 'locks', 'in-a-cluster');
  }, startMs);
  afterAll(() => cluster.stop());

  const open = () => {
    const nodes = cluster.nodes.map(({ host, port }) => ({ host, port }));
    const redis = new Cluster(nodes, { lazyConnect: true, redisOptions: { username: 'limited', password } });
    const client = createLockClient({ ...unhurried, redis });
    leaks.cleanup(async () => {
      await client.close();
      redis.disconnect();
    });
    return client;
  };

  const refused = async () => {
    const lists = await Promise.all(cluster.nodes.map(async (node) => refusedTo(await node.admin(), 'limited')));
    return lists.flat();
  };

  const queued = async (name: string) => {
    const node = await cluster.nodeOfKey(name);
    return (await (await node.admin()).zcard(`holdfast_queue:{${name}}`)) === 1;
  };

  it(
    'the rules in docs/security.md are enough: locks, nesting, waits, renewals and handoffs',
    async () => {
      const [client, other] = [open(), open()];
      for (let round = 0; round < 6; round++) {
        const name = allowedName();
        const lock = client.getLock(name);
        await lock.withLock(() => lock.withLock(() => undefined));
        const hold = await lock.acquire();
        const waiting = other.getLock(name).acquire();
        await waitUntil(() => queued(name), { what: 'the other process waits' });
        await hold.release();
        await (await waiting).release();
      }
      const hold = await client.getLock(allowedName()).acquire();
      const { renewed } = client.stats().renewals;
      await waitUntil(() => client.stats().renewals.renewed > renewed, { what: 'a renewal' });
      await hold.release();
      expect(await refused()).toEqual([]);
    },
    startMs,
  );
});
