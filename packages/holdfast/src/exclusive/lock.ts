import type { LockParts } from '../client-parts.js';
import { none } from '../lists.js';
import { commonTerms } from '../tenure/hold-terms.js';
import type { Inherited } from '../tenure/inherited.js';
import type { Operations } from '../tenure/operations.js';
import type { Stake, StakeListener } from '../tenure/stake.js';
import type { LinkedList } from '../waiting/linked-list.js';
import type { QueuedCalls } from '../waiting/wait-queue.js';
import type { PlaceBehind, Waiter } from '../waiting/waiter.js';
import type { HoldKeeper, HoldRecord } from './hold-record.js';
import type { OpenHolds } from './open-holds.js';
import type { ExclusivePolicy } from './policy.js';

/**
 * One lock in one process, as `admission.ts`, `departure.ts` and `loss.ts` see it: its state, which they change in {@link change} only, and
 * whom it tells. The {@link Coordinator} is one.
 */
export interface ExclusiveLock extends HoldKeeper, StakeListener {
  readonly parts: LockParts;
  readonly operations: Operations;
  readonly policy: ExclusivePolicy;
  readonly holds: OpenHolds;
  /** The calls that wait, first come first; `nobody` between two changes when none does. */
  queue: QueuedCalls;
  /** Calls whose hold is on the way to them: neither in the queue nor settled by it. Absent when there are none: of most locks, most of the time. */
  arriving: LinkedList<Waiter> | undefined;
  /** The client's owner in Redis, while it has or wants the lock. */
  tenure: Stake | undefined;
  /** Clock time of the last proof that the lock was busy, if there was any. */
  busyAt: number | undefined;
  /** Clock time before which nobody else gets the lock, for the sake of holds that were given back. */
  keptUntil: number | undefined;
  /** Critical sections in a turn, as last told or measured; see `handoff-rule.ts`. */
  turn: number | undefined;
  /** What the next hold is to be told of the one before it, here or in another process. */
  inherited: Inherited | undefined;
  /** The client closes: no call may wait any more. */
  readonly closing: boolean;
  /** Runs a change. Listeners of users hear of it when it is complete. */
  change<T>(work: () => T): T;
  /** A hold further in was refused, after those around it had been released: no hold is left, and `last` was the last. */
  onEmptied(tenure: Stake, last: HoldRecord): void;
}

/** Where the locks of a client are found. */
export interface LockHome {
  /** The client closes: nobody waits any more. */
  readonly closing: boolean;
  /** Nothing is left of it. */
  dismiss(lock: Seated): void;
  /** Redis has granted it the name. */
  granted(lock: Seated): void;
  /** What this client holds of all locks of a name: they exclude each other. */
  heldHere(name: string): readonly HoldRecord[];
  /** The calls of this client that wait for locks of a name. */
  waitingHere(name: string): Iterable<Waiter>;
  /** Of a lock that readers share: where those stand in line who join this lane now. */
  placeIn?(lane: Seated): PlaceBehind | undefined;
  /** Of such a lock: the lane is about to take its place in line. */
  onPlace?(lane: Seated): void;
  /** Of such a lock: Redis has answered that the lane is kept out. */
  onKeptOut?(lane: Seated): void;
}

/** What has a place there: it stands for a name, or for a part of what this client does about it. */
export interface Seated {
  readonly name: string;
  readonly operations: Operations;
}

/** A call has, or had, one of its holds. */
export const wasHad = ({ holds }: ExclusiveLock): boolean => holds.all.some(({ given }) => given);

/** All that is left of its holds is on the way to calls that have given up. */
export function isGivenUp(lock: ExclusiveLock): boolean {
  for (const { settled } of lock.arriving ?? none) if (!settled) return false;
  return lock.arriving !== undefined && !wasHad(lock);
}

/** What the lease is renewed to, now that holds have come or gone. `changed`: only that one has. */
export function retune({ holds, parts }: ExclusiveLock, tenure: Stake, changed?: HoldRecord): void {
  if (changed !== undefined && holds.suffice(changed, parts.clock)) return;
  const terms = commonTerms(holds.all, parts.clock);
  if (terms === undefined) tenure.lease.runOut();
  else tenure.retune(terms);
}
