/**
 * Why a node of a Cluster cannot be asked for the map. ioredis asks on a connection of its own and says only that it is closed, be it refused, a certificate or a
 * host that is not known: one more attempt, which is ours, is told.
 */

import type { Redis } from 'ioredis';
import { apart } from '../scopes/scope.js';
import { connect } from './connect.js';
import type { ConnectionTools } from './connection-tools.js';
import { disconnect } from './disconnect.js';

/** An attempt to connect to a node. */
export interface Attempt {
  /** What has gone wrong; undefined when nothing has, or it was ended. Never rejects. */
  readonly trouble: Promise<Error | undefined>;
  end(): Promise<void>;
}

/** Connects to where this connection leads, once. */
export function connectOnce(node: Redis, tools: ConnectionTools): Attempt {
  // A server that wants to see a certificate says so only when something has been sent: here INFO.
  const redis = apart(() => node.duplicate({ lazyConnect: true, enableReadyCheck: true, retryStrategy: () => null }));
  const trouble = new Promise<Error | undefined>((resolve) => {
    redis.on('error', resolve);
    // Without an error.
    redis.on('ready', resolve);
    redis.on('end', resolve);
  });
  const end = () => disconnect(redis);
  connect(redis, tools);
  void trouble.then(end);
  return { trouble, end };
}
