import { waitUntil } from '@holdfast/testkit';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { lockOn, TOMBSTONE } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer('--cluster-enabled', 'yes');

beforeAll(async () => {
  const slots = Array.from({ length: 16_384 }, (_, slot) => slot);
  await server.redis.cluster('ADDSLOTS', ...slots);
  await waitUntil(async () => (await server.redis.cluster('INFO')).includes('cluster_state:ok'), {
    what: 'the one-node cluster to serve all slots',
  });
});

describe('on a Cluster node', () => {
  it.each(['stock', '{order}:7', 'a{b}c', '}x{y}', 'ключ'])('every operation on %j stays in one slot', async (name) => {
    const lock = lockOn(server, { name });
    await lock.ask('a:1');
    await lock.ask('b:1');
    await lock.ask('c:1');
    await lock.again('a:1', 2);
    await lock.release('a:1', 3);
    await lock.handoff('a:1', 4);
    expect(await lock.release('a:1', 5, { tombstoneMs: TOMBSTONE })).toEqual({ kind: 'granted', to: 'b:1' });
    expect(await lock.renew('b:1')).toMatchObject({ kind: 'renewed' });
    expect(await lock.cancel('b:1')).toMatchObject({ wasGranted: true });
    expect(await lock.force('x:1')).toEqual({ kind: 'forced', ownerBefore: 'c:1' });
    expect(await lock.peek('c:1')).toMatchObject({ locked: false });
    expect(await lock.inspect()).toMatchObject({ owner: undefined, queue: [] });
  });
});
