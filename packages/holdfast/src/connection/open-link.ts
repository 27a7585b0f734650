import type { RedisInput } from '../options.js';
import { ClusterLink } from './cluster-link.js';
import type { Link } from './link.js';
import type { LinkTools } from './link-tools.js';
import { NodeLink } from './node-link.js';
import { openRedis } from './redis-input.js';
import { SentinelWatch } from './sentinel-watch.js';

/**
 * Turns the `redis` option into a link, without any I/O.
 *
 * @throws TypeError when it is not usable as a lock's connection, with the reason.
 */
export function openLink(input: RedisInput, tools: LinkTools): Link {
  const opened = openRedis(input);
  if (opened.kind === 'cluster') return new ClusterLink(opened.template, tools);
  const { redis, ownership } = opened;
  const sentinels = redis.options.sentinels ? new SentinelWatch(redis, tools.now) : undefined;
  return new NodeLink({ redis, ownership }, sentinels, tools);
}
