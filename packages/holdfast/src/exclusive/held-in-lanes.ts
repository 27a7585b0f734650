import type { LockLostReason } from '../errors.js';
import { none } from '../lists.js';
import type { ScopedHold } from '../scopes/scope.js';
import type { Waiter } from '../waiting/waiter.js';
import type { HeldLock } from './coordinating.js';
import type { Coordinator } from './coordinator.js';
import type { HoldRecord } from './hold-record.js';
import type { Seated } from './lock.js';
import type { HeldHere } from './open-holds.js';

/** What a client holds of a lock that has a coordinator for each of several lanes. */
export abstract class HeldInLanes implements HeldLock {
  /** The lanes that may have open holds. */
  protected abstract readonly holding: Iterable<Coordinator>;
  /** All lanes. */
  abstract [Symbol.iterator](): IterableIterator<Coordinator>;
  abstract onGranted(granted: Seated): void;

  get holds(): HeldHere {
    return { all: [...this.holding].flatMap(({ holds }) => holds.all) };
  }

  get waiting(): Iterable<Waiter> {
    return waitingIn(this);
  }

  lockOf(hold: ScopedHold): Coordinator | undefined {
    for (const lane of this.holding) if (lane.holds.has(hold)) return lane;
    return undefined;
  }

  heldUnder(id: string): readonly HoldRecord[] {
    for (const lane of this.holding) if (lane.tenure?.id === id) return lane.holds.all;
    return none;
  }

  takenAway(id: string, reason: LockLostReason): void {
    for (const lane of [...this.holding]) lane.takenAway(id, reason);
  }
}

function* waitingIn(lanes: Iterable<Coordinator>): Iterable<Waiter> {
  for (const { queue } of lanes) yield* queue;
}
