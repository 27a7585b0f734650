import type { RLock } from './rlock.js';

/**
 * Several locks that are had together or not at all; see `docs/multi-lock.md`.
 *
 * It is an {@link RLock} whose holds are those of all its members. The members are taken one after the other (free ones of one server by one command),
 * always in the same order (by Cluster slot, then by key), whatever order they were named in, and each is waited for while those before it are held: so calls that want some of the same
 * locks cannot wait for each other. `waitMs` and `signal` count for all of it; when it ends without all members, what was taken is given back. `leaseMs`
 * begins when the last member has been taken.
 *
 * A hold is lost with the first member that is lost: its signal aborts, and the others are given back.
 *
 * What differs from one lock: `name` is made of the members' names; `unlock()` is `unlock()` on each member, so a
 * member that was lost is told by `unlock()` at the latest, and the others stay held until then; `isLocked()` is true when any member is held, so that
 * the whole cannot be had at once; `getHoldCount()` and `remainTimeToLive()` give the least of the members'; `forceUnlock()` takes all of them from
 * whoever has them. Events and counters are those of the members.
 */
export interface MultiLock extends RLock {
  /** Of its members, in the order in which they are taken. */
  readonly names: readonly string[];
}
