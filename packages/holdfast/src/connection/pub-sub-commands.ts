/**
 * Pub/sub has two worlds that do not hear each other: channels that every server of a Cluster carries, and sharded ones (Redis 7 and later),
 * which live on the servers of their slot. Outside a Cluster there is no reason for the second.
 */

import type { Redis } from 'ioredis';

/** How channels are heard on a connection. */
export interface PubSubCommands {
  readonly message: 'message' | 'smessage';
  subscribe(redis: Redis, channel: string): Promise<unknown>;
  unsubscribe(redis: Redis, channel: string): Promise<unknown>;
}

export const plain: PubSubCommands = {
  message: 'message',
  subscribe: (redis, channel) => redis.subscribe(channel),
  unsubscribe: (redis, channel) => redis.unsubscribe(channel),
};

export const sharded: PubSubCommands = {
  message: 'smessage',
  subscribe: (redis, channel) => redis.ssubscribe(channel),
  unsubscribe: (redis, channel) => redis.sunsubscribe(channel).catch(unlessMoved),
};

/** A slot that goes to another server takes its subscriptions along. */
function unlessMoved(error: Error): void {
  if (!error.message.startsWith('MOVED')) throw error;
}
