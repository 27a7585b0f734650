import { once } from 'node:events';
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { Cluster, Redis } from 'ioredis';
import { ClusterTopology } from '../src/connection/cluster-topology.js';
import { NodeConnection } from '../src/connection/node-connection.js';
import { drivenTools } from './support/driven-tools.js';

const kit = useRedis();

/** Timers keep the process alive. */
describe('a line that nobody waits for any more keeps no timer', () => {
  it('to a server of a Cluster that could not be asked for its map', async () => {
    const template = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true });
    kit.cleanup(() => template.disconnect());
    const { tools, passAll } = drivenTools();
    const topology = new ClusterTopology(template, tools);
    kit.cleanup(() => topology.close());
    topology.whenReady('lock', () => undefined)();
    expect(passAll()).toBe('no timer is left');
  });

  it('on a connection of yours that you have closed', async () => {
    const redis = new Redis(kit.server.port, kit.server.host);
    await Promise.all([once(redis, 'end'), redis.quit()]);
    const { tools, passAll } = drivenTools();
    const listener = {
      onDown: () => undefined,
      onUp: () => undefined,
      onOther: () => undefined,
      onLooked: () => undefined,
      onLastingTrouble: () => undefined,
    };
    const line = new NodeConnection('node', { redis, ownership: 'yours' }, listener, tools);
    kit.cleanup(() => line.close());
    line.connect();
    expect(passAll()).toBe('no timer is left');
  });
});
