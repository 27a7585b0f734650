/**
 * The other locks of the family, as the benchmark uses them. They are measured against the re-entrant lock, which is `holdfast` in the tables: no other
 * library has most of them.
 */

import { createLockClient, type LockClient, type RLock } from 'holdfast';
import { connect } from './connect.js';
import { inside, type Locker, type Peer } from './peer.js';

/** One reading in so many is a writing. */
const READS_FOR_A_WRITE = 20;

/** Of a lock, whatever its kind. */
export const lockerOf = (lockOf: (name: string) => RLock): Locker => ({
  run: (name, section) => lockOf(name).withLock(section),
  async tryOnce(name) {
    const hold = await lockOf(name).tryAcquire();
    await hold?.release();
    return hold !== null;
  },
  async hold(name) {
    const hold = await lockOf(name).acquire();
    return () => hold.release();
  },
});

/** One permit is a lock that nobody re-enters. */
function permit(client: LockClient): Locker {
  const acquire = async (name: string) => {
    const permits = await client.getSemaphore(name, { permits: 1 }).acquire();
    return () => permits.release();
  };
  return {
    run: (name, section) => inside(acquire(name), section),
    async tryOnce(name) {
      const permits = await client.getSemaphore(name, { permits: 1 }).tryAcquire();
      await permits?.release();
      return permits !== null;
    },
    hold: acquire,
  };
}

function readingMostly(client: LockClient): Locker {
  let calls = 0;
  return lockerOf((name) => {
    const lock = client.getReadWriteLock(name);
    return ++calls % READS_FOR_A_WRITE === 0 ? lock.writeLock() : lock.readLock();
  });
}

interface Sibling extends Pick<Peer, 'name' | 'settings'> {
  readonly kind: 'sibling' | 'sharing sibling';
  readonly locker: (client: LockClient) => Locker;
}

const peerOf = ({ locker, ...traits }: Sibling): Peer => ({
  ...traits,
  renews: true,
  reenters: false,
  async connect(options) {
    const client = createLockClient({ redis: await connect(options), watchdogTimeoutMs: options.leaseMs });
    return { locker: () => locker(client) };
  },
});

export const writing = peerOf({
  ...{ name: 'write', kind: 'sibling', settings: '`getReadWriteLock().writeLock()`' },
  locker: (client) => lockerOf((name) => client.getReadWriteLock(name).writeLock()),
});

export const mostlyReading = peerOf({
  ...{ name: '95 % reads', kind: 'sharing sibling', settings: 'every twentieth call of a task takes the write lock' },
  locker: readingMostly,
});

export const siblings: readonly Peer[] = [
  peerOf({
    ...{ name: 'fair', kind: 'sibling', settings: '`getFairLock`' },
    locker: (client) => lockerOf((name) => client.getFairLock(name)),
  }),
  peerOf({
    ...{ name: 'fenced', kind: 'sibling', settings: '`getFencedLock`' },
    locker: (client) => lockerOf((name) => client.getFencedLock(name)),
  }),
  peerOf({
    ...{ name: 'spin', kind: 'sibling', settings: '`getSpinLock`' },
    locker: (client) => lockerOf((name) => client.getSpinLock(name)),
  }),
  writing,
  peerOf({
    ...{ name: 'read', kind: 'sharing sibling', settings: '`getReadWriteLock().readLock()`' },
    locker: (client) => lockerOf((name) => client.getReadWriteLock(name).readLock()),
  }),
  mostlyReading,
  peerOf({
    ...{ name: 'multi', kind: 'sibling', settings: '`getMultiLock` of two names in one slot' },
    locker: (client) => lockerOf((name) => client.getMultiLock([`{${name}}:a`, `{${name}}:b`])),
  }),
  peerOf({ name: 'semaphore', kind: 'sibling', settings: '`getSemaphore` with one permit', locker: permit }),
];
