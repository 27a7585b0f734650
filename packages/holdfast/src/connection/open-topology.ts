import { ClusterTopology } from './cluster-topology.js';
import type { Topology } from './topology.js';
import type { ConnectionTools } from './connection-tools.js';
import { NodeTopology } from './node-topology.js';
import type { OpenedRedis } from './redis-input.js';
import { SentinelWatch } from './sentinel-watch.js';

/** Makes the topology of what the `redis` option came to, without any I/O. */
export function openTopology(opened: OpenedRedis, tools: ConnectionTools): Topology {
  if (opened.kind === 'cluster') return new ClusterTopology(opened.template, tools);
  const { redis, ownership } = opened;
  const sentinels = redis.options.sentinels ? new SentinelWatch(redis, tools) : undefined;
  return new NodeTopology({ redis, ownership }, sentinels, tools);
}
