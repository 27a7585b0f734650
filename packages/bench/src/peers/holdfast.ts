import { createLockClient } from 'holdfast';
import { connect } from './connect.js';
import type { Peer } from './peer.js';

export const holdfast: Peer = {
  name: 'holdfast',
  package: 'holdfast',
  kind: 'lock',
  renews: true,
  reenters: true,
  settings: 'defaults; `withLock`, renewed',
  async connect(options) {
    const client = createLockClient({ redis: await connect(options), watchdogTimeoutMs: options.leaseMs });
    await client.connect();
    return {
      locker: () => ({
        run: (name, section) => client.getLock(name).withLock(section),
        async tryOnce(name) {
          const hold = await client.getLock(name).tryAcquire();
          await hold?.release();
          return hold !== null;
        },
        async hold(name) {
          const hold = await client.getLock(name).acquire();
          return () => hold.release();
        },
      }),
    };
  },
};
