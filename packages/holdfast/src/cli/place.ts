/** What the URL of a Redis says. */

import { Redis, type RedisOptions } from 'ioredis';
import { UsageError } from './exit-codes.js';

/** Where nobody says another. */
export const DEFAULT_URL = 'redis://localhost:6379';

/** What ioredis does where nothing is said. */
const unsaid = readByIoredis(DEFAULT_URL);

/** What ioredis knows besides, and does nothing about where nothing is said. */
const withoutDefault = [
  ...['path', 'tls', 'commandTimeout', 'socketTimeout', 'blockingTimeout', 'preferredSlaves', 'monitor', 'scripts'],
  ...['sentinelUsername', 'sentinelPassword', 'sentinelCommandTimeout', 'sentinelTLS', 'showFriendlyErrorStack'],
  ...['Connector', 'offlineQueue', 'commandQueue'],
];
const known = [...Object.keys(unsaid), ...withoutDefault];

/** What a URL says of a server. */
export interface Place extends RedisOptions {
  readonly host: string;
  readonly port: number;
}

/**
 * What a URL says, its query too: a lock client with the same URL is to find the same locks, so ioredis reads it for both. What ioredis does anyway is
 * left out: it would pass for your wish where a lock client has defaults of its own.
 */
export function placeOf(text: string): Place {
  if (!/^rediss?:\/\//.test(text)) throw new UsageError('the address of Redis must be a URL, redis:// or rediss://');
  if (!URL.canParse(text)) throw new UsageError('the URL of Redis cannot be read: are its host and its port right?');
  checkQuery(new URL(text).searchParams);
  const read = readByIoredis(text);
  const said = Object.entries(read).filter(([option, value]) => value !== unsaid[option as keyof RedisOptions]);
  const { db = 0, host = '', port = 0 } = read;
  if (!Number.isSafeInteger(db) || db < 0) {
    throw new UsageError('the database in the URL of Redis must be a whole number, from 0');
  }
  return { ...Object.fromEntries(said.map(([option, value]) => [option, asUsed(option, value)])), host, port };
}

/** @throws UsageError for what ioredis would pass over: with `?keyprefix=app:` other locks are looked at than those that are meant. */
function checkQuery(query: URLSearchParams): void {
  for (const option of query.keys()) {
    if (known.includes(option)) continue;
    const meant = known.find((each) => each.toLowerCase() === option.toLowerCase());
    const hint = meant === undefined ? '' : `: do you mean ${meant}?`;
    throw new UsageError(`the query of the URL of Redis has "${option}", which is no option of ioredis${hint}`);
  }
}

/** A time in a query stays a text with ioredis, and its sockets do not survive that; `false` would be true. */
function asUsed(option: string, value: unknown): unknown {
  if (value === 'false' && typeof unsaid[option as keyof RedisOptions] === 'boolean') return false;
  const isNumber = typeof unsaid[option as keyof RedisOptions] === 'number' && /^\d+$/.test(String(value));
  return isNumber ? Number(value) : value;
}

/** @throws UsageError */
function readByIoredis(url: string): RedisOptions {
  try {
    const redis = new Redis(url, { lazyConnect: true });
    // A query can have it connect all the same.
    redis.on('error', () => undefined);
    redis.disconnect();
    return redis.options;
  } catch (error) {
    throw new UsageError(`ioredis cannot read the URL of Redis: ${(error as Error).message}`);
  }
}
