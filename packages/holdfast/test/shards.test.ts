import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import type { RedisOptions } from 'ioredis';
import { Shards } from '../src/connection/shards.js';
import type { Topology } from '../src/connection/topology.js';
import { drivenTools } from './support/driven-tools.js';
import { turns } from './support/room.js';

const leaks = guardLeaks();

/** Two servers of a Cluster, `old` and `new`: each keeps the lock of its name, and the old one knows no sharded channels before it is upgraded. */
function setUp() {
  const clock = new ManualClock();
  const servers = {
    old: new MemoryServer({ now: () => clock.now() }),
    new: new MemoryServer({ now: () => clock.now() }),
  };
  let asked = 0;
  let isUpgraded = false;
  const openSubscriberTo = (node: keyof typeof servers, options: RedisOptions) => {
    const place = { network: direct(() => servers[node]), timers: clock };
    const redis = memoryRedis(place, { ...options, retryStrategy: () => null });
    if (node === 'new' || isUpgraded) return redis;
    const unknown = () => {
      asked++;
      return Promise.reject(Object.assign(new Error("ERR unknown command 'ssubscribe'"), { name: 'ReplyError' }));
    };
    return Object.assign(redis, { ssubscribe: unknown, sunsubscribe: unknown });
  };
  const topology = {
    sharded: true,
    trustsReceivers: false,
    ended: false,
    nodeOf: (key: string) => key,
    openSubscriberTo,
  };
  const errors: unknown[] = [];
  const { tools } = drivenTools();
  const onError = (_: string, error: unknown) => errors.push(error);
  const shards = new Shards(topology as unknown as Topology, { ...tools, onError });
  leaks.cleanup(() => shards.close());
  const join = async (key: string) => {
    const { confirmed } =
      shards.of(key)?.join('channel', { onReleased: () => undefined, onGap: () => undefined }) ?? {};
    return confirmed?.then(
      () => 'heard',
      () => 'refused',
    );
  };
  const upgrade = async () => {
    isUpgraded = true;
    servers.old.restart('data kept');
    await turns(3);
  };
  return { join, upgrade, errors, asked: () => asked };
}

it('a server without sharded channels is not asked twice, others are asked all the same, and nobody hears of it', async () => {
  const { join, errors, asked } = setUp();
  expect(await join('old')).toBe('refused');
  await turns(3);
  const before = asked();
  expect([await join('old'), await join('new'), await join('old')]).toEqual([undefined, 'heard', undefined]);
  expect([asked(), errors]).toEqual([before, []]);
});

it('a server that is back as a later version is asked for sharded channels again', async () => {
  const { join, upgrade } = setUp();
  expect(await join('old')).toBe('refused');
  await upgrade();
  expect(await join('old')).toBe('heard');
});
