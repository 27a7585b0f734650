import { createLock, IoredisAdapter, type Lock } from 'redlock-universal';
import { connect } from './connect.js';
import { heldBy, inside, type Peer, perName } from './peer.js';
import { POLL_MS } from './polling.js';

export const redlockUniversal: Peer = {
  name: 'redlock-universal',
  package: 'redlock-universal',
  kind: 'lock',
  renews: true,
  reenters: false,
  settings: `\`createLock\` on one node, \`lean\` (its fastest), retryDelay ${POLL_MS}, \`using\` where renewal is measured`,
  async connect(options) {
    const adapter = new IoredisAdapter(await connect(options));
    const make = (retryAttempts: number) =>
      perName((key) =>
        createLock({ adapter, key, ttl: options.leaseMs, performance: 'lean', retryAttempts, retryDelay: POLL_MS }),
      );
    const waiting = make(1_000_000);
    const trying = make(0);
    const acquire = async (lock: Lock) => {
      const handle = await lock.acquire();
      return () => lock.release(handle);
    };
    return {
      locker: () => ({
        run: (name, section) => inside(acquire(waiting(name)), section),
        tryOnce: (name) =>
          acquire(trying(name)).then(
            async (release) => {
              await release();
              return true;
            },
            () => false,
          ),
        hold: (name) => heldBy((routine) => waiting(name).using(routine)),
      }),
    };
  },
};
