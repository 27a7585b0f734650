/** A Cluster whose nodes tell a host that only they know. */
import type { RedisServer } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Cluster, type ClusterOptions } from 'ioredis';
import { handedOverBehind, useCluster } from '../support/topologies.js';

const inside = 'inside.invalid';
const host = '127.0.0.1';
const byName = ['--cluster-announce-hostname', inside, '--cluster-preferred-endpoint-type', 'hostname'];

describe('in a Cluster behind a NAT', () => {
  const kit = useCluster({ args: byName });
  const asObject = () => Object.fromEntries(kit.nodes.map(({ port }) => [`${inside}:${port}`, { host, port }]));
  const asFunction = (address: string) => asObject()[address] ?? null;

  it.each<[string, () => ClusterOptions['natMap']]>([
    ['an object', asObject],
    ['a function', () => asFunction],
  ])(
    'with %s as natMap a hold goes on when a replica takes over and its slot moves, and its waiter is served',
    async (_, natMap) => {
      const [holder, waiter] = [0, 1].map(() => {
        const nodes = kit.nodes.map(({ port }) => ({ host, port }));
        const cluster = new Cluster(nodes, { lazyConnect: true, natMap: natMap() });
        kit.cleanup(() => cluster.disconnect());
        return kit.open({ redis: cluster, watchdogTimeoutMs: 30_000 });
      }) as [ReturnType<typeof kit.open>, ReturnType<typeof kit.open>];
      await handedOverBehind(kit, [holder, waiter], async (name) => {
        const from = await kit.cluster.failover(name);
        const to = (await kit.cluster.masters()).find((master) => master !== from) as RedisServer;
        await kit.cluster.migrateSlot(await kit.cluster.slotOf(name), to);
      });
      expect(holder.stats().losses).toEqual({});
    },
    120_000,
  );
});
