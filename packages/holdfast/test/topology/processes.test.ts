import { type RedisServer, spawnWorker, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName } from '../support/clients.js';
import { quick, type TopologyKit, useCluster, useSentinel } from '../support/topologies.js';
import type { methods, Site, TopologyWorkerOptions } from '../support/topology.worker.js';

const addresses = (nodes: readonly RedisServer[]) => nodes.map(({ host, port }) => ({ host, port }));

/** A worker that the machine keeps waiting for longer than its lease, or than that of a grant, would lose it: no update, but the call in hand. */
const client = { ...quick, watchdogTimeoutMs: 30_000, claimLeaseMs: 30_000 };

async function startAdders(kit: TopologyKit, site: Site, count: number) {
  const options: TopologyWorkerOptions = { site, client };
  const file = new URL('../support/topology.worker.ts', import.meta.url);
  const start = async () => {
    const worker = await spawnWorker<typeof methods>(file, { args: [JSON.stringify(options)] });
    kit.cleanup(() => worker.stop());
    return worker;
  };
  return Promise.all(Array.from({ length: count }, start));
}

describe('processes in a Cluster', () => {
  const kit = useCluster();

  it('lose no update to a number that a lock guards, also while its server hands over to a replica', async () => {
    const [name, key] = [freshName(), `sum-${freshName()}`];
    const workers = await startAdders(kit, { kind: 'cluster', nodes: addresses(kit.nodes) }, 3);
    const added = Promise.all(workers.map((worker) => worker.call('add', name, key, 60)));
    const sum = async () => Number(await (await (await kit.cluster.nodeOfKey(key)).admin()).get(key));
    await waitUntil(async () => (await sum()) > 20, { what: 'the work to be under way', timeoutMs: 30_000 });
    // The replica takes over when it has everything, so not even a failover is an excuse.
    await kit.cluster.failover(name);
    await added;
    expect(await sum()).toBe(180);
    await Promise.all(workers.map((worker) => worker.call('close')));
  }, 180_000);
});

describe('processes behind Sentinel', () => {
  const kit = useSentinel();

  it('lose no update to a number that a lock guards', async () => {
    const [name, key] = [freshName(), `sum-${freshName()}`];
    const { sentinels, name: master } = kit.sentinel;
    const workers = await startAdders(kit, { kind: 'sentinel', sentinels, name: master }, 3);
    await Promise.all(workers.map((worker) => worker.call('add', name, key, 60)));
    const admin = await (await kit.sentinel.master()).admin();
    expect(Number(await admin.get(key))).toBe(180);
    await Promise.all(workers.map((worker) => worker.call('close')));
  }, 180_000);
});
