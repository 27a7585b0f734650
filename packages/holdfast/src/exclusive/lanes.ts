/**
 * Lanes: the coordinators of a lock in which each call contends for itself.
 *
 * A call that would be a new owner opens a lane: a coordinator of its own, with a tenure that asks at once. So Redis sees calls where it otherwise sees
 * processes, and its queue is the only line. A call that is inside a hold, or of an explicit owner who has a lane, goes to that lane: it re-enters there, or
 * waits for the branch that has. Tenures exclude each other in Redis, so as a rule holds are open in one lane at a time. Where Redis has forgotten the lock they
 * are open in two, until the lane that was granted it first is told: by the answer to a question that it asks when the other is granted the lock.
 */

import { none } from '../lists.js';
import type { Scope } from '../scopes/scope.js';
import type { Coordinator } from './coordinator.js';
import { HeldInLanes } from './held-in-lanes.js';
import type { Seated } from './lock.js';
import type { ExclusivePolicy } from './policy.js';

/** See the module comment. */
export class Lanes extends HeldInLanes {
  /** See {@link ExclusivePolicy.holders}. */
  readonly holders: ExclusivePolicy['holders'];
  /** With the explicit owner that each is for. Those that came first stand first. */
  readonly #all = new Map<Coordinator, string | undefined>();
  readonly #ofOwners = new Map<string, Coordinator>();
  /** Those that may have open holds: few, however many wait. */
  protected readonly holding = new Set<Coordinator>();

  constructor(holders: ExclusivePolicy['holders']) {
    super();
    this.holders = holders;
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  onGranted(granted: Seated): void {
    // Of a semaphore many lanes have holds, which a grant to another says nothing about.
    const questioned = this.holders === 'one' ? this.holding : none;
    for (const lane of questioned) {
      lane.onGranted(granted);
      if (lane.holds.isEmpty) this.holding.delete(lane);
    }
    if (this.#all.has(granted as Coordinator)) this.holding.add(granted as Coordinator);
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
    this.holding.delete(lane as Coordinator);
    return this.#all.delete(lane as Coordinator);
  }

  /** The one that a call belongs to: `origins` are what a hold that it may re-enter would belong to. */
  find(origins: readonly (Scope | string)[]): Coordinator | undefined {
    for (const origin of origins) {
      const lane = typeof origin === 'string' ? this.#ofOwners.get(origin) : this.#inside(origin);
      if (lane !== undefined) return lane;
    }
    return undefined;
  }

  [Symbol.iterator](): IterableIterator<Coordinator> {
    return this.#all.keys();
  }

  #inside(scope: Scope): Coordinator | undefined {
    for (const hold of scope.holds) {
      const lane = this.lockOf(hold);
      if (lane !== undefined) return lane;
    }
    return this.#awaitedIn(scope);
  }

  /** That of a `lock()` of the scope which still waits: a call made meanwhile is inside it when it has the lock. */
  #awaitedIn({ kind, pending }: Scope): Coordinator | undefined {
    if (kind !== 'thread' || pending.size === 0) return undefined;
    for (const lane of this) for (const call of lane.queue) if (call.imperative && pending.has(call)) return lane;
    return undefined;
  }
}
