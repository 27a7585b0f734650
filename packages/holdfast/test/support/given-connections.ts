/** The two ways to give a client a connection that may not come about, and every call that needs one. */

import type { RedisKit } from '@holdfast/testkit';
import type { LockClient, RedisInput } from 'holdfast';
import { Redis, type RedisOptions } from 'ioredis';
import { freshName } from './clients.js';

/** To the kit's server with these options, which ioredis gets from the client or from the user. */
export function givenConnections(kit: RedisKit): [title: string, give: (options: RedisOptions) => RedisInput][] {
  const reach = (options: RedisOptions): RedisOptions => ({
    host: kit.server.host,
    port: kit.server.port,
    ...options,
  });
  const own = (options: RedisOptions) => {
    const redis = new Redis({ disconnectTimeout: 100, ...reach(options) });
    redis.on('error', () => undefined);
    kit.cleanup(() => redis.disconnect());
    return redis;
  };
  return [
    ['ioredis options', reach],
    ['a Redis of the user', own],
  ];
}

/** Every call that needs a connection, begun. @param waitMs - of those that wait with a limit. */
export function everyCall(client: LockClient, waitMs: number): Promise<unknown>[] {
  const lock = client.getLock(freshName());
  return [
    lock.tryLock(),
    lock.tryLock(waitMs),
    lock.lock(),
    lock.acquire({ waitMs }),
    lock.withLock(() => undefined),
    lock.isLocked(),
    lock.forceUnlock(),
    client.inspect(lock.name),
    client.connect(),
  ];
}
