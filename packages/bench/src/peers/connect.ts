import { Redis, type RedisOptions } from 'ioredis';
import type { ConnectOptions } from './peer.js';
import { countCommandsOf } from './sent-commands.js';

/** The same ioredis options for everybody. */
export function redisOptions({ url, pipelining }: ConnectOptions): RedisOptions {
  const { hostname, port } = new URL(url);
  return { host: hostname, port: Number(port), enableAutoPipelining: pipelining === 'auto', lazyConnect: true };
}

/** A connected ioredis whose commands are counted. */
export async function connect(options: ConnectOptions): Promise<Redis> {
  const redis = new Redis(redisOptions(options));
  countCommandsOf(redis);
  await redis.connect();
  return redis;
}
