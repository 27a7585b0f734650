/** A tool that wraps methods of ioredis and fails in there keeps nobody from the locks of a Cluster. */
import { afterEach, describe, expect, it } from '@jest/globals';
import { waitUntil } from '@holdfast/testkit';
import { Redis } from 'ioredis';
import { freshName } from '../support/clients.js';
import { failingFor, failingToConnect, type Way, ways } from '../support/failing-wrapper.js';
import { useCluster } from '../support/topologies.js';

const kit = useCluster();

describe.each(Object.keys(ways) as Way[])('where a wrapper of ioredis %s,', (way) => {
  let failing: { end(): void } | undefined;
  afterEach(() => failing?.end());

  it('the map of a Cluster is fetched when it lets CLUSTER SLOTS pass', async () => {
    const slots = failingFor(Redis.prototype, /^cluster$/i, way);
    failing = slots;
    // Of each node that may be asked, so that a whole round fails.
    for (let node = 0; node < kit.nodes.length; node++) slots.once();
    expect(
      await kit
        .open()
        .getLock(freshName())
        .withLock(() => 'ran'),
    ).toBe('ran');
    // One that is sent is answered, whatever the wrapper returns.
    if (way !== 'returns nothing') expect(slots.over).toBe(true);
  }, 30_000);

  it('the map is fetched anew behind a change of the Cluster', async () => {
    const client = kit.open();
    const name = freshName();
    await client.getLock(name).withLock(() => 'ran');
    const slot = await kit.cluster.slotOf(name);
    const keeper = await kit.cluster.nodeOfKey(name);
    const target = (await kit.cluster.masters()).find((master) => master !== keeper);
    const slots = failingFor(Redis.prototype, /^cluster$/i, way);
    failing = slots;
    await kit.cluster.migrateSlot(slot, target as typeof keeper);
    slots.once();
    const { passed } = slots;
    expect(await client.getLock(name).withLock(() => 'ran')).toBe('ran');
    await waitUntil(() => slots.over && (slots.passed > passed || way === 'returns nothing'), {
      what: 'the map to be fetched',
    });
  }, 60_000);

  it('connections are made when it lets them be made', async () => {
    const client = kit.open();
    const connects = failingToConnect(Redis.prototype, way);
    failing = connects;
    connects.once();
    expect(await client.getLock(freshName()).withLock(() => 'ran')).toBe('ran');
    expect(connects.over).toBe(true);
  }, 30_000);
});
