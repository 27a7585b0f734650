import Redlock from 'redlock5';
import { connect } from './connect.js';
import { heldBy, inside, type Peer } from './peer.js';
import { POLL_JITTER_MS, POLL_MS } from './polling.js';

export const redlock5: Peer = {
  name: 'redlock 5 beta',
  package: 'redlock5',
  kind: 'lock',
  renews: true,
  reenters: false,
  settings: `\`acquire\` (\`using\` where renewal is measured), retryCount -1, retryDelay ${POLL_MS}, retryJitter ${POLL_JITTER_MS}`,
  async connect(options) {
    const settings = { retryCount: -1, retryDelay: POLL_MS, retryJitter: POLL_JITTER_MS };
    const redlock = new Redlock([await connect(options)], settings);
    redlock.on('error', () => undefined); // one for each attempt that finds the lock taken
    const acquire = async (name: string, retryCount: number) => {
      const lock = await redlock.acquire([name], options.leaseMs, { retryCount });
      return () => lock.release();
    };
    return {
      locker: () => ({
        run: (name, section) => inside(acquire(name, -1), section),
        tryOnce: (name) =>
          acquire(name, 0).then(
            async (release) => {
              await release();
              return true;
            },
            () => false,
          ),
        hold: (name) => heldBy((routine) => redlock.using([name], options.leaseMs, routine)),
      }),
    };
  },
};
