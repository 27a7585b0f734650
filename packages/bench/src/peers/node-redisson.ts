import { Redisson } from 'node-redisson';
import { redisOptions } from './connect.js';
import { inside, type Peer, perName } from './peer.js';
import { countCommandsOf } from './sent-commands.js';

export const nodeRedisson: Peer = {
  name: 'node-redisson',
  package: 'node-redisson',
  kind: 'lock',
  renews: true,
  reenters: true,
  settings:
    'pub/sub, its own connections, one lock object for each task and name (tasks that share one enter together), watchdog',
  async connect(options) {
    const redisson = new Redisson({
      redis: { options: { ...redisOptions(options), lazyConnect: false } },
      lockWatchdogTimeout: BigInt(options.leaseMs),
    });
    countCommandsOf(redisson.redis);
    await redisson.redis.ping();
    return {
      locker() {
        const lockOf = perName((name) => redisson.getLock(name));
        const hold = async (name: string) => {
          const lock = lockOf(name);
          await lock.lock();
          return () => lock.unlock();
        };
        return {
          run: (name, section) => inside(hold(name), section),
          async tryOnce(name) {
            const acquired = await lockOf(name).tryLock(0n, true);
            if (acquired) await lockOf(name).unlock();
            return acquired;
          },
          hold,
        };
      },
    };
  },
};
