/** holdfast as it is where Java takes locks of the same names. */

import { createLockClient } from 'holdfast';
import { connect } from './connect.js';
import { lockerOf } from './siblings.js';
import type { Peer } from './peer.js';

export const neighbour: Peer = {
  name: 'holdfast, for Redisson',
  package: 'holdfast',
  kind: 'neighbour',
  renews: true,
  reenters: true,
  settings: "`wakeup: 'redisson'`, `withLock`",
  async connect(options) {
    const redis = await connect(options);
    const client = createLockClient({ redis, wakeup: 'redisson', watchdogTimeoutMs: options.leaseMs });
    return { locker: () => lockerOf((name) => client.getLock(name)) };
  },
};
