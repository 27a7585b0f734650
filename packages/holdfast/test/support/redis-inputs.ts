import type { FaultProxy, RedisKit } from '@holdfast/testkit';
import { faultProxy } from '@holdfast/testkit';
import type { RedisInput } from 'holdfast';
import { Redis, type RedisOptions } from 'ioredis';

/** A way to give a lock client its Redis. */
export interface InputWay {
  readonly title: string;
  /** Whether the connection belongs to the user, who closes it. */
  readonly yours: boolean;
  open(kit: RedisKit, target: { host: string; port: number }): RedisInput;
}

function own(title: string, options: RedisOptions): InputWay {
  return {
    title: `a Redis of the user's: ${title}`,
    yours: true,
    open: (kit, { host, port }) => {
      const redis = new Redis({ host, port, disconnectTimeout: 100, ...options });
      redis.on('error', () => undefined);
      kit.cleanup(() => redis.disconnect());
      return redis;
    },
  };
}

/** What everybody has: ioredis replays unanswered commands by itself. */
export const ownDefault = own('default options', {});

/** Here ioredis forgets commands that were under way when the connection broke: their promises never settle. */
export const ownWithoutResend = own('autoResendUnfulfilledCommands: false', { autoResendUnfulfilledCommands: false });

/** Connections of the client's own. */
export const byUrl: InputWay = {
  title: 'a URL',
  yours: false,
  open: (_, { host, port }) => `redis://${host}:${port}`,
};

/** Every way that differs in how ioredis treats commands when a connection is not well. */
export const everyWay: readonly InputWay[] = [
  byUrl,
  { title: 'ioredis options', yours: false, open: (_, { host, port }) => ({ host, port }) },
  ownDefault,
  own('lazyConnect', { lazyConnect: true }),
  own('enableOfflineQueue: false', { enableOfflineQueue: false }),
  own('maxRetriesPerRequest: null', { maxRetriesPerRequest: null }),
  own('commandTimeout', { commandTimeout: 80 }),
  ownWithoutResend,
];

/** A proxy before the kit's server, closed when the test has ended. */
export async function openProxy(kit: RedisKit): Promise<FaultProxy> {
  const proxy = await faultProxy({ target: kit.server });
  kit.cleanup(() => proxy.close());
  return proxy;
}
