import { Redis, type RedisOptions } from 'ioredis';
import type { RedisInput } from '../options.js';
import { outside } from '../scope.js';

/** A client to send commands with, and whether closing it is our business. */
export interface OpenedRedis {
  readonly redis: Redis;
  readonly ownership: 'ours' | 'yours';
}

/**
 * What we set on connections of our own. Nothing is queued while offline (the link waits for `ready` itself), and a command in flight at
 * a disconnect is rejected at once instead of being replayed unseen; the wire sends it again under its own rules. A socket whose peer is
 * silent is destroyed soon after it was ended.
 */
const ours: RedisOptions = {
  lazyConnect: true,
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  disconnectTimeout: 200,
};

/**
 * Turns the `redis` option into a client, without any I/O.
 *
 * @throws TypeError when it is not usable as a lock's connection, with the reason.
 */
export function openRedis(input: RedisInput): OpenedRedis {
  if (typeof input === 'string') {
    if (!/^rediss?:\/\//.test(input) || !URL.canParse(input)) throw unusable();
    return open(() => new Redis(input, { retryStrategy, ...ours }));
  }
  // A list or a URL object would do for ioredis, which finds no option in it and connects to localhost.
  if (typeof input !== 'object' || input === null || Array.isArray(input) || 'href' in input) throw unusable();
  if (isClient(input)) {
    refuseUnfit(input);
    return { redis: input, ownership: 'yours' };
  }
  return open(() => new Redis({ retryStrategy, ...input, ...ours }));
}

/** ioredis has read the options, those in the query of a URL too. It connects later. */
function open(make: () => Redis): OpenedRedis {
  const redis = outside(make);
  refuseUnsafe(redis.options);
  return { redis, ownership: 'ours' };
}

function unusable(): TypeError {
  return new TypeError('redis must be a redis:// or rediss:// URL, ioredis options, or an ioredis client');
}

/** Back within a second of the server: every lock is suspect until then. Yours wins. */
function retryStrategy(times: number): number {
  return Math.min(25 * 2 ** Math.min(times, 6), 1_000);
}

function isClient(input: object): input is Redis {
  return 'duplicate' in input && typeof input.duplicate === 'function';
}

function refuseUnfit(redis: Redis): void {
  if (redis.isCluster) throw new TypeError('redis: ioredis Cluster is not supported by this version of holdfast');
  if (redis.mode !== 'normal') {
    throw new TypeError(`redis: this client is in ${redis.mode} mode; hand over one that sends ordinary commands`);
  }
  refuseUnsafe(redis.options);
}

function refuseUnsafe(options: RedisOptions): void {
  if (options.role === 'slave') throw new TypeError("redis: role 'slave' reads from replicas; a lock needs the master");
  if (options.readOnly) throw new TypeError('redis: a readOnly connection cannot take locks');
}
