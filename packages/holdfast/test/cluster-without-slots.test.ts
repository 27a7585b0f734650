/** A Cluster that has yet to be made, or a node that has left one: it answers, and names no server at all. */
import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { Cluster, type ClusterOptions } from 'ioredis';
import { ClusterMap } from '../src/connection/cluster-map.js';
import { drivenTools } from './support/driven-tools.js';

const kit = useRedis(() => startPrivateRedis({ args: ['--cluster-enabled', 'yes'] }));

it('is asked for the map less and less often, however well it answers', async () => {
  const { host, port } = kit.server;
  const template = new Cluster([{ host, port }], { lazyConnect: true });
  const pauses: unknown[] = [];
  const duplicate = template.duplicate.bind(template);
  template.duplicate = (nodes, options) => {
    const strategy = options?.clusterRetryStrategy as NonNullable<ClusterOptions['clusterRetryStrategy']>;
    const clusterRetryStrategy = (...reasons: Parameters<typeof strategy>) => {
      const pauseMs = strategy(...reasons);
      pauses.push(pauseMs);
      return pauseMs;
    };
    return duplicate(nodes, { ...options, clusterRetryStrategy });
  };
  const map = new ClusterMap(template, drivenTools(60_000).tools, {
    onChange: () => undefined,
    onLastingTrouble: () => undefined,
  });
  kit.cleanup(() => map.close());
  map.connect();
  await waitUntil(() => pauses.length > 4, { what: 'five maps' });
  expect(pauses.slice(0, 5)).toEqual([50, 100, 200, 400, 800]);
});
