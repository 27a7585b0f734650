import { waitUntil } from '@holdfast/testkit';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Lock, lockOn, TOMBSTONE } from './support/lock.js';
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
    expect(await lock.force('x:1')).toEqual({ kind: 'forced', ownerBefore: 'c:1', alsoBefore: [], left: 0 });
    expect(await lock.peek('c:1')).toMatchObject({ locked: false });
    expect(await lock.inspect()).toMatchObject({ owner: undefined, queue: [] });
  });
});

describe('a lock that becomes free', () => {
  /** What arrives in each world of pub/sub; the sharded one came with Redis 7. */
  const listen = async (channel: string) => {
    const heard = { plain: 0, sharded: 0 };
    const [plain, sharded] = [server.connect(), server.connect()];
    plain.on('message', () => heard.plain++);
    sharded.on('smessage', () => heard.sharded++);
    await plain.subscribe(channel);
    const knowsSharded = await sharded.ssubscribe(channel).then(
      () => true,
      () => false,
    );
    return {
      sharded: knowsSharded ? 1 : 0,
      // Behind the replies, everything has arrived that was published before.
      heard: async () => {
        await Promise.all([plain.ping(), sharded.ping()]);
        return heard;
      },
    };
  };

  it.each([
    ['a release', (lock: Lock) => lock.release('a:1', 2)],
    ['a cancel', (lock: Lock) => lock.cancel('a:1')],
    ['a force unlock', (lock: Lock) => lock.force('x:1')],
  ])('by %s is announced once in both worlds of pub/sub', async (_, free) => {
    const lock = lockOn(server, { name: '{order}:7' });
    await lock.ask('a:1');
    const { heard, sharded } = await listen(lock.keys.releaseChannel);
    await free(lock);
    expect(await heard()).toEqual({ plain: 1, sharded });
  });

  it('is announced in no other world where PUBLISH can be trusted, as on one node', async () => {
    const lock = lockOn(server);
    await lock.ask('a:1');
    const { heard } = await listen(lock.keys.releaseChannel);
    await lock.release('a:1', 2, { trust: true });
    expect(await heard()).toEqual({ plain: 1, sharded: 0 });
  });
});
