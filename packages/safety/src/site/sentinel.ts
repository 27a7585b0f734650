import { startSentinel } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { passingAppendOnlyOf, readable } from './append-only.js';
import { natMapOf } from './nat-map.js';
import { type Fronts, type Site, admitWorkers, serverArgs } from './site.js';

/** A master with two replicas behind three sentinels. */
export async function sentinelSite(): Promise<Site> {
  const kit = await startSentinel({ args: [...serverArgs, ...readable] });
  await admitWorkers(kit.nodes);
  return {
    kind: 'sentinel',
    nodes: kit.nodes,
    clock: undefined,
    appendOnly: await Promise.all(kit.nodes.map(passingAppendOnlyOf)),
    connect: () => new Redis({ sentinels: [...kit.sentinels], name: kit.name }),
    setPatience: async (ms) => {
      for (const watcher of kit.watchers) {
        await (await watcher.admin()).call('SENTINEL', 'SET', kit.name, 'down-after-milliseconds', ms);
      }
    },
    masters: async () => [await kit.master()],
    reach: (fronts: Fronts) => ({
      kind: 'sentinel',
      sentinels: kit.sentinels,
      name: kit.name,
      natMap: natMapOf(fronts),
    }),
    failover: async () => {
      await kit.failover();
      await kit.whenReady();
    },
    killMaster: async () => {
      const before = await kit.master();
      await before.kill();
      try {
        await kit.masterAfter(before);
      } finally {
        await before.restart();
        await admitWorkers([before]);
      }
      await kit.whenReady();
    },
    whenReady: () => kit.whenReady(),
    stop: () => kit.stop(),
  };
}
