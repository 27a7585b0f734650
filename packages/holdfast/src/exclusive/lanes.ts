/**
 * Lanes: the coordinators of a lock in which each call contends for itself.
 *
 * A call that would be a new owner opens a lane: a coordinator of its own, with a tenure that asks at once. So Redis sees calls where it otherwise sees
 * processes, and its queue is the only line. A call that is inside a hold, or of an explicit owner who has a lane, goes to that lane: it re-enters there, or
 * waits for the branch that has. Tenures exclude each other in Redis, so holds are open in one lane at a time.
 */

import type { Scope } from '../scopes/scope.js';
import { isSameLock, type LockIdentity } from '../tenure/operations.js';
import type { Coordinator } from './coordinator.js';
import type { Seated } from './lock.js';

/** See the module comment. */
export class Lanes {
  /** With the explicit owner that each is for. Those that came first stand first. */
  readonly #all = new Map<Coordinator, string | undefined>();
  readonly #ofOwners = new Map<string, Coordinator>();

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  /** The one with open holds, if any. As a rule it came before all others, so it is found at once however many wait. */
  get held(): Coordinator | undefined {
    for (const lane of this.#all.keys()) if (!lane.holds.isEmpty) return lane;
    return undefined;
  }

  /** @param owner - explicit owner of the call that it is for. */
  add(lane: Coordinator, owner: string | undefined): void {
    this.#all.set(lane, owner);
    if (owner !== undefined) this.#ofOwners.set(owner, lane);
  }

  /** Answers false when it was not there. */
  remove(lane: Seated): boolean {
    const owner = this.#all.get(lane as Coordinator);
    if (owner !== undefined) this.#ofOwners.delete(owner);
    return this.#all.delete(lane as Coordinator);
  }

  /** The one that a call belongs to: `origins` are what a hold that it may re-enter would belong to. */
  find(lock: LockIdentity, origins: readonly (Scope | string)[]): Coordinator | undefined {
    for (const origin of origins) {
      const lane = typeof origin === 'string' ? this.#ofOwners.get(origin) : this.#inside(origin, lock);
      if (lane !== undefined) return lane;
    }
    return undefined;
  }

  [Symbol.iterator](): IterableIterator<Coordinator> {
    return this.#all.keys();
  }

  #inside(scope: Scope, lock: LockIdentity): Coordinator | undefined {
    const { held } = this;
    for (const hold of scope.holds) if (isSameLock(hold, lock) && held?.holds.has(hold)) return held;
    return undefined;
  }
}
