/** Locks that a majority of three servers holds, as the benchmark uses them. */

import { createRedLockClient } from 'holdfast';
import Redlock from 'redlock5';
import { connect } from './connect.js';
import { inside, type Peer } from './peer.js';
import { POLL_JITTER_MS, POLL_MS } from './polling.js';
import { lockerOf } from './siblings.js';

const SERVERS = 3;
/** A server that has just been started does not vote for as long as this. */
const LEASE_MS = 3_000;

const traits = { kind: 'majority', servers: SERVERS, renews: true, reenters: false } as const;

export const majorities: readonly Peer[] = [
  {
    ...{ ...traits, name: 'majority', settings: `\`getRedLock\` on ${SERVERS} servers, leases of ${LEASE_MS} ms` },
    async connect(options) {
      const nodes = await Promise.all([options.url, ...options.others].map((url) => connect({ ...options, url })));
      const client = createRedLockClient({ nodes, watchdogTimeoutMs: LEASE_MS });
      await client.connect();
      return { locker: () => lockerOf((name) => client.getRedLock(name)) };
    },
  },
  {
    ...{ ...traits, name: 'redlock 5 beta, three servers', package: 'redlock5', renews: false },
    settings: `\`acquire\`, retryCount -1, retryDelay ${POLL_MS}, retryJitter ${POLL_JITTER_MS}`,
    async connect(options) {
      const clients = await Promise.all([options.url, ...options.others].map((url) => connect({ ...options, url })));
      const redlock = new Redlock(clients, { retryCount: -1, retryDelay: POLL_MS, retryJitter: POLL_JITTER_MS });
      redlock.on('error', () => undefined); // one for each attempt that finds the lock taken
      const acquire = async (name: string, retryCount = -1) => {
        const lock = await redlock.acquire([name], options.leaseMs, { retryCount });
        return () => lock.release();
      };
      const tried = async (name: string) => {
        await (await acquire(name, 0))();
        return true;
      };
      return {
        locker: () => ({
          run: (name, section) => inside(acquire(name), section),
          tryOnce: (name) => tried(name).catch(() => false),
          hold: (name) => acquire(name),
        }),
      };
    },
  },
];
