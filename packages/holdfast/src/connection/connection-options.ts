/** The ioredis options of our own connections. */

import type { Redis, RedisOptions } from 'ioredis';

/**
 * What we set on connections of our own that take commands. Nothing is queued while offline (the sender waits for `ready` itself), and a command under way at
 * a disconnect is rejected at once instead of being replayed unseen; the sender sends it again under its own rules. A socket whose peer is
 * silent is destroyed soon after it was ended. A server that has loaded its data is used soon.
 */
export const ours: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  disconnectTimeout: 200,
  maxLoadingRetryTime: 300,
};

/** Further, where we take over the options of a client of yours, which may suit other work than ours. */
export const oursForSure: RedisOptions = {
  ...ours,
  readOnly: false,
  enableReadyCheck: true,
  enableAutoPipelining: false,
  commandTimeout: undefined,
  reconnectOnError: null,
  retryStrategy,
};

/** On connections of our own that listen, which are made of the options of another one: with everything undone that would have them lose messages or hang. */
export const listening: RedisOptions = {
  // Channels belong to no database.
  db: 0,
  keyPrefix: '',
  readOnly: false,
  commandTimeout: undefined,
  autoResubscribe: false,
  maxRetriesPerRequest: null,
  enableAutoPipelining: false,
  disconnectTimeout: 200,
};

/** A server that is gone for good keeps clients from the server that took its place for no longer than this. */
const CONNECT_MS = 3_000;
/** A sentinel that accepts connections and does not answer is passed over. */
const SENTINEL_ANSWER_MS = 1_000;

/** What keeps a failover short where there is another server to go to. */
export function swift({ connectTimeout, sentinelCommandTimeout }: RedisOptions): RedisOptions {
  return {
    connectTimeout: Math.min(connectTimeout ?? CONNECT_MS, CONNECT_MS),
    sentinelCommandTimeout: sentinelCommandTimeout ?? SENTINEL_ANSWER_MS,
    failoverDetector: false,
    sentinelRetryStrategy: retryStrategy,
  };
}

/** Back within a second of the server: every lock is suspect until then. Yours wins. */
export function retryStrategy(times: number): number {
  return Math.min(25 * 2 ** Math.min(times, 6), 1_000);
}

/** `connectionName`, where the options have no name of their own: by it CLIENT LIST shows the connection. */
export function nameFor(options: RedisOptions, connectionName: string | undefined): RedisOptions {
  return connectionName === undefined || options.connectionName ? {} : { connectionName };
}

/** The number of the database that a client is in, or means to be in: yours may have chosen another one since. */
export function databaseOf({ condition, options }: Redis): number {
  return condition?.select ?? options.db ?? 0;
}
