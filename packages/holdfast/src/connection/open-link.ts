import { ClusterLink } from './cluster-link.js';
import type { Link } from './link.js';
import type { LinkTools } from './link-tools.js';
import { NodeLink } from './node-link.js';
import type { OpenedRedis } from './redis-input.js';
import { SentinelWatch } from './sentinel-watch.js';

/** Makes the link of what the `redis` option came to, without any I/O. */
export function openLink(opened: OpenedRedis, tools: LinkTools): Link {
  if (opened.kind === 'cluster') return new ClusterLink(opened.template, tools);
  const { redis, ownership } = opened;
  const sentinels = redis.options.sentinels ? new SentinelWatch(redis, tools.now) : undefined;
  return new NodeLink({ redis, ownership }, sentinels, tools);
}
