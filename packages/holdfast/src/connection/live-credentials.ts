import type { Redis, RedisOptions } from 'ioredis';

/**
 * From now on `redis` connects with what `options` has at that moment, as the client does whose copy it is: a password may be changed while
 * both run, or be good for an hour.
 */
export function withCredentialsOf(redis: Redis, options: () => RedisOptions | undefined): Redis {
  for (const name of ['username', 'password', 'sentinelUsername', 'sentinelPassword'] as const)
    Object.defineProperty(redis.options, name, { get: () => options()?.[name], enumerable: true });
  return redis;
}
