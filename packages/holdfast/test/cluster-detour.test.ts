import { EventEmitter } from 'node:events';
import { keySlot } from '@holdfast/core';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { type Cluster, Redis } from 'ioredis';
import { ClusterTopology } from '../src/connection/cluster-topology.js';
import type { Connection } from '../src/connection/connection.js';
import { drivenTools } from './support/driven-tools.js';
import { openProxy } from './support/redis-inputs.js';

const kit = useRedis();
const SLOTS = 16_384;

/** More than any server is asked in a moment. */
const MANY = 20;

it('a server to which locks had gone ahead of their slot, and which is gone before it keeps that, is tried once for all of them, and a second later no more; the next lock that goes there has a way of its own', async () => {
  const proxy = await openProxy(kit);
  const known = new Redis({ lazyConnect: true });
  const template = Object.assign(new EventEmitter(), {
    status: 'ready',
    options: {},
    slots: Array.from({ length: SLOTS }, () => ['old:1']),
    nodes: () => [known],
    disconnect: () => undefined,
    refreshSlotsCache: (answered: () => void) => answered(),
    duplicate: () => template,
  });
  const opened: string[][] = [];
  const duplicate = known.duplicate.bind(known);
  known.duplicate = (options) => {
    const seen: string[] = [];
    opened.push(seen);
    const redis = duplicate(options);
    for (const event of ['connecting', 'close']) redis.on(event, () => seen.push(event));
    return redis;
  };
  const { tools, passAll, due } = drivenTools();
  const topology = new ClusterTopology(template as unknown as Cluster, tools);
  kit.cleanup(() => topology.close());
  template.emit('refresh');
  const point = () =>
    topology.refused({
      connection: { node: 'old:1' } as Connection,
      code: 'ASK',
      message: `ASK ${keySlot('a')} 127.0.0.1:${proxy.port}`,
    });
  const there = { what: 'the way to the other server' };
  await waitUntil(() => point() !== undefined, there);
  proxy.refuse();
  proxy.reset();
  await waitUntil(() => opened[0]?.includes('close'), { what: 'the server to be gone' });
  for (let asked = 0; asked < MANY; asked++) expect(point()).toBeUndefined();
  expect(opened).toHaveLength(1);
  passAll();
  // When the map is asked for next.
  expect(due()).toHaveLength(1);
  await proxy.heal();
  await waitUntil(() => point() !== undefined, there);
  expect(opened).toHaveLength(2);
});
