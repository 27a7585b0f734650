import Redlock from 'redlock4';
import { connect } from './connect.js';
import { inside, type Peer } from './peer.js';
import { POLL_JITTER_MS, POLL_MS } from './polling.js';

export const redlock4: Peer = {
  name: 'redlock 4',
  package: 'redlock4',
  kind: 'lock',
  renews: false,
  reenters: false,
  settings: `retryCount -1, retryDelay ${POLL_MS}, retryJitter ${POLL_JITTER_MS}`,
  async connect(options) {
    const redis = await connect(options);
    const waiting = new Redlock([redis], { retryCount: -1, retryDelay: POLL_MS, retryJitter: POLL_JITTER_MS });
    const trying = new Redlock([redis], { retryCount: 0 });
    const acquire = async (redlock: Redlock, name: string) => {
      const lock = await redlock.lock(name, options.leaseMs);
      return () => lock.unlock();
    };
    return {
      locker: () => ({
        run: (name, section) => inside(acquire(waiting, name), section),
        tryOnce: (name) =>
          acquire(trying, name).then(
            async (release) => {
              await release();
              return true;
            },
            () => false,
          ),
        hold: (name) => acquire(waiting, name),
      }),
    };
  },
};
