import { createClient } from 'redis';
import { lock, tryLock } from 'simple-redis-mutex';
import { inside, type Peer } from './peer.js';
import { countCommandsOf } from './sent-commands.js';

export const simpleRedisMutex: Peer = {
  name: 'simple-redis-mutex',
  package: 'simple-redis-mutex',
  kind: 'lock',
  renews: false,
  reenters: false,
  settings: 'defaults; runs on node-redis 5 alone, which pipelines always, so not on the ioredis of the others',
  async connect({ url, leaseMs }) {
    const redis = createClient({ url });
    redis.on('error', () => undefined); // a command that fails says so itself
    countCommandsOf(redis);
    await redis.connect();
    const acquire = (name: string) => lock(redis, name, { timeout: leaseMs });
    return {
      locker: () => ({
        run: (name, section) => inside(acquire(name), section),
        async tryOnce(name) {
          const [acquired, release] = await tryLock(redis, name, { timeout: leaseMs });
          await release();
          return acquired;
        },
        hold: acquire,
      }),
    };
  },
};
