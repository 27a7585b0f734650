import { startCluster } from '@holdfast/testkit';
import { Cluster } from 'ioredis';
import { passingAppendOnlyOf, readable } from './append-only.js';
import { natMapOf } from './nat-map.js';
import { type Fronts, type Site, admitWorkers, serverArgs } from './site.js';

/** Three masters, each with a replica. */
export async function clusterSite(): Promise<Site> {
  const kit = await startCluster({ args: [...serverArgs, ...readable] });
  await admitWorkers(kit.nodes);
  // What an operator does with slots happens one after the other: a move that goes on must not be given up.
  let last: Promise<void> = Promise.resolve();
  const inTurn = (job: () => Promise<void>): Promise<void> => {
    last = last.then(job, job);
    return last;
  };
  const whenReady = async (): Promise<void> => {
    await inTurn(() => kit.closeSlots());
    // With the patience of some classes old votes count for half a minute; only `killMaster` need wait for that.
    await kit.whenAgreed();
  };
  return {
    kind: 'cluster',
    nodes: kit.nodes,
    clock: undefined,
    appendOnly: await Promise.all(kit.nodes.map(passingAppendOnlyOf)),
    connect: () => new Cluster(kit.nodes.map(({ host, port }) => ({ host, port }))),
    setPatience: async (ms) => {
      for (const node of kit.nodes) await (await node.admin()).config('SET', 'cluster-node-timeout', String(ms));
    },
    masters: () => kit.masters(),
    reach: (fronts: Fronts) => ({
      kind: 'cluster',
      nodes: [...fronts.values()].map(({ host, port }) => ({ host, port })),
      natMap: natMapOf(fronts),
    }),
    failover: async (lock) => {
      // A move that a failover crosses leaves keys with a master that does not serve them any more.
      await inTurn(async () => {
        await kit.failover(lock);
      });
      await whenReady();
    },
    killMaster: async (lock) => {
      await kit.whenOldVotesLapse();
      const before = await kit.nodeOfKey(lock);
      await before.kill();
      try {
        await kit.nodeOfKeyAfter(lock, before);
      } finally {
        await before.restart();
        await admitWorkers([before]);
      }
      await whenReady();
    },
    moveSlot: async (lock) => {
      const from = await kit.nodeOfKey(lock);
      const to = (await kit.masters()).find((node) => node !== from);
      const slot = await kit.slotOf(lock);
      if (to !== undefined) await inTurn(() => kit.migrateSlot(slot, to));
    },
    whenReady,
    stop: () => kit.stop(),
  };
}
