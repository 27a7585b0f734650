import { type LockOptions, Mutex } from 'redis-semaphore';
import { connect } from './connect.js';
import { inside, type Peer, perName } from './peer.js';
import { POLL_MS } from './polling.js';

export const redisSemaphore: Peer = {
  name: 'redis-semaphore',
  package: 'redis-semaphore',
  kind: 'lock',
  renews: true,
  reenters: false,
  settings: `\`Mutex\`, one for each task and name, retryInterval ${POLL_MS}, no acquireTimeout, refreshed each third of the lease`,
  async connect(options) {
    const redis = await connect(options);
    const settings: LockOptions = {
      lockTimeout: options.leaseMs,
      acquireTimeout: Number.POSITIVE_INFINITY,
      retryInterval: POLL_MS,
      refreshInterval: Math.round(options.leaseMs / 3),
      onLockLost: () => undefined,
    };
    return {
      locker() {
        const waiting = perName((name) => new Mutex(redis, name, settings));
        // It pauses after the last attempt too.
        const once = { ...settings, acquireAttemptsLimit: 1, retryInterval: 0 };
        const trying = perName((name) => new Mutex(redis, name, once));
        const acquire = async (mutex: Mutex) => {
          await mutex.acquire();
          return () => mutex.release();
        };
        return {
          run: (name, section) => inside(acquire(waiting(name)), section),
          async tryOnce(name) {
            const mutex = trying(name);
            const acquired = await mutex.tryAcquire();
            if (acquired) await mutex.release();
            return acquired;
          },
          hold: (name) => acquire(waiting(name)),
        };
      },
    };
  },
};
