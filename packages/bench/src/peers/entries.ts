/** The ways into the re-entrant lock beside `withLock`, which is `holdfast` in the tables. */

import { createLockClient, type LockClient } from 'holdfast';
import { connect } from './connect.js';
import { inside, type Locker, type Peer } from './peer.js';

const acquiring = (client: LockClient): Locker => {
  const acquire = async (name: string) => {
    const hold = await client.getLock(name).acquire();
    return () => hold.release();
  };
  return {
    run: (name, section) => inside(acquire(name), section),
    async tryOnce(name) {
      const hold = await client.getLock(name).tryAcquire();
      await hold?.release();
      return hold !== null;
    },
    hold: acquire,
  };
};

const trying = (client: LockClient): Locker => ({
  run: (name, section) =>
    client.run(async () => {
      const lock = client.getLock(name);
      if (!(await lock.tryLock())) throw new Error(`${name} is taken`);
      try {
        await section();
      } finally {
        await lock.unlock();
      }
    }),
  tryOnce: (name) =>
    client.run(async () => {
      const lock = client.getLock(name);
      const acquired = await lock.tryLock();
      if (acquired) await lock.unlock();
      return acquired;
    }),
  async hold(name) {
    const hold = await client.getLock(name).acquire();
    return () => hold.release();
  },
});

interface Entry extends Pick<Peer, 'name' | 'settings'> {
  readonly locker: (client: LockClient) => Locker;
}

const peerOf = ({ locker, ...traits }: Entry): Peer => ({
  ...{ ...traits, kind: 'entry', renews: true, reenters: false },
  async connect(options) {
    const client = createLockClient({ redis: await connect(options), watchdogTimeoutMs: options.leaseMs });
    await client.connect();
    return { locker: () => locker(client) };
  },
});

export const byAcquire = peerOf({ name: 'acquire', settings: '`acquire`, `release`', locker: acquiring });

export const byTryLock = peerOf({
  ...{ name: 'tryLock', settings: '`tryLock`, `unlock`, each pair in a `client.run` of its own' },
  locker: trying,
});

export const entries: readonly Peer[] = [byAcquire, byTryLock];
