import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import type { RedisOptions } from 'ioredis';
import { Shards } from '../src/connection/shards.js';
import type { Topology } from '../src/connection/topology.js';
import { drivenTools } from './support/driven-tools.js';
import { turns } from './support/room.js';

const leaks = guardLeaks();

/**
 * Three servers of a Cluster: each keeps the lock of its name. `old` knows no sharded channels before it is upgraded, and `gone` is not there.
 */
function setUp() {
  const clock = new ManualClock();
  const servers = {
    old: new MemoryServer({ now: () => clock.now() }),
    new: new MemoryServer({ now: () => clock.now() }),
  };
  let asked = 0;
  let lost: string | undefined;
  const changes: (() => void)[] = [];
  let isUpgraded = false;
  let opened = 0;
  const openSubscriberTo = (node: keyof typeof servers | 'gone', options: RedisOptions) => {
    opened++;
    const place = { network: direct(() => (node === 'gone' ? undefined : servers[node])), timers: clock };
    const redis = memoryRedis(place, { ...options, retryStrategy: () => null });
    if (node !== 'old' || isUpgraded) return redis;
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
    keeps: (node: string) => node !== lost,
    listen: ({ onUp }: { onUp: () => void }) => changes.push(onUp),
  };
  const errors: unknown[] = [];
  const { tools, due, passAll } = drivenTools();
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
  const change = (node: string) => {
    lost = node;
    for (const onUp of changes) onUp();
  };
  return { shards, join, upgrade, change, errors, due, passAll, asked: () => asked, opened: () => opened };
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

it('a server that is gone, and keeps no lock any more, is not tried again; nor is there anything left of one that was heard', async () => {
  const { shards, join, change, errors, due, passAll } = setUp();
  const ends: unknown[] = [];
  void join('gone').then((end) => ends.push(end));
  shards
    .of('gone')
    ?.join('another', { onReleased: () => undefined, onGap: () => undefined })
    .leave();
  await turns(3);
  errors.length = 0;
  change('gone');
  passAll();
  await turns(3);
  expect([ends, due(), errors]).toEqual([['refused'], [], []]);
  expect(await join('new')).toBe('heard');
  const before = shards.of('new');
  change('new');
  expect(shards.of('new')).not.toBe(before);
});
