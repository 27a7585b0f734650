import type { Redis, RedisOptions } from 'ioredis';

/**
 * From now on `redis` connects with what `options` has at that moment, as the client does whose copy it is: a password may be changed while
 * both run, or be good for an hour. Where the options had none `atFirst`, what `redis` has of its own counts until they have one; where they had another, for good.
 */
export function withCredentialsOf(
  redis: Redis,
  options: () => RedisOptions | undefined,
  atFirst: RedisOptions = { ...options() },
): Redis {
  for (const name of ['username', 'password', 'sentinelUsername', 'sentinelPassword'] as const) {
    const own = redis.options[name];
    const first = atFirst[name] ?? own;
    const get = () => {
      const now = options()?.[name];
      return first === own && now !== atFirst[name] ? now : own;
    };
    Object.defineProperty(redis.options, name, { get, enumerable: true });
  }
  return redis;
}
