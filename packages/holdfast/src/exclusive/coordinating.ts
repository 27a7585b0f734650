import type { LockParts } from '../client-parts.js';
import type { LockLostReason } from '../errors.js';
import type { ScopedHold } from '../scopes/scope.js';
import type { Operations } from '../tenure/operations.js';
import type { AcquireRequest, Waiter } from '../waiting/waiter.js';
import type { HoldRecord } from './hold-record.js';
import type { ExclusiveLock, LockHome, Seated } from './lock.js';
import type { HeldHere } from './open-holds.js';
import type { PrimitivePolicy } from './policy.js';

/** What a client holds of one lock. */
export interface HeldLock {
  /** What is open of it in this process. */
  readonly holds: HeldHere;
  /** The calls that wait for it, each for the others' holds to end. */
  readonly waiting: Iterable<Waiter>;
  /** The part of it that has `hold`. */
  lockOf(hold: ScopedHold): ExclusiveLock | undefined;
  /** What is held under a tenure id, innermost last. */
  heldUnder(id: string): readonly HoldRecord[];
  /** Tenure `id` has been taken away, as is known by other means than a renewal. */
  takenAway(id: string, reason: LockLostReason): void;
  /** Redis has granted the name to `granted`: if that is another, Redis is asked about what is held here. */
  onGranted(granted: Seated): void;
}

/** Everything one client does about one lock name, as its handles and its registry see it. The {@link Coordinator} is one. */
export interface Coordinating extends HeldLock {
  readonly name: string;
  /** Which lock it is. */
  readonly operations: Operations;
  acquire(request: AcquireRequest): Promise<unknown>;
  /** The client closes: calls that wait are refused, and so are those that would have to wait again. */
  refuseWaiting(): void;
  /** Open holds are lost with reason `closed`, and the lock is given back. */
  close(): void;
}

/** How the calls for a lock find each other: by a policy, or by what the primitive itself brings. `home` is told when nothing is left of it. */
export type Coordination = PrimitivePolicy | { coordinate(parts: LockParts, home: LockHome): Coordinating };
