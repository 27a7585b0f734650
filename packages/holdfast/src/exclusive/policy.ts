/**
 * The policy of an exclusive primitive: what the coordinator asks it, where primitives differ.
 *
 * | question | the re-entrant lock |
 * |---|---|
 * | which call may enter while the lock is held? | one inside the innermost hold (`reentry.ts`) |
 * | may the lock pass to the next call of this process in memory? | while the lease is healthy, and others are kept no longer than a turn (`handoff-rule.ts`) |
 * | which operations? | `primitives/lock-operations.ts`, handed over with the name |
 * | does the first waiting call contend in Redis, or each? | the first, for all of them: they wait for one coordinator, which has one tenure. Where each does, each has a coordinator (`lanes.ts`) |
 */

import { none } from '../lists.js';
import type { LockParts } from '../client-parts.js';
import type { Scope } from '../scopes/scope.js';
import type { CountedDown, Stake } from '../tenure/stake.js';
import type { QueuedCalls } from '../waiting/wait-queue.js';
import type { AcquireRequest, Waiter } from '../waiting/waiter.js';
import { mayPassOn } from './handoff-rule.js';
import type { HoldRecord } from './hold-record.js';
import type { OpenHolds } from './open-holds.js';
import { mayReenter, originsOf } from './reentry.js';

/** See the module comment. */
export interface ExclusivePolicy {
  /** What a hold that the call may re-enter belongs to. Nothing: it is inside no other, wherever it is made. */
  originsOf(request: AcquireRequest): readonly (Scope | string)[];
  /** Whether a held tenure may be passed on to the next call of this process now. */
  mayPassOn(tenure: Stake, parts: LockParts): boolean;
  /** Whether one who is granted the name has it instead of those who had it before, or beside them. */
  readonly holders: 'one' | 'many';
  /** How a new call may come in while the lock is held as it is now. */
  entry(lock: LockState, request: AcquireRequest): Entry;
  /** The first waiting call that may come in now that the holds have changed. */
  nextToEnter(lock: LockState): Waiter | undefined;
  /** A call has its hold: calls inside it come in next. */
  onOpened?(record: HoldRecord): void;
  /** How many holds the call is inside of. */
  depthOf(lock: LockState, request: AcquireRequest): number;
  /** There is one hold less, and it was not the last one. */
  countDown(lock: LockState, tenure: Stake): Promise<CountedDown>;
}

/** That of a primitive. */
export interface PrimitivePolicy extends ExclusivePolicy {
  /** Who asks Redis when several calls of this process wait: the first, on behalf of all, or each for itself. */
  readonly contends: 'first' | 'each';
}

/** A lock in this process, as its policy sees it. */
export interface LockState {
  readonly holds: OpenHolds;
  readonly queue: QueuedCalls;
  readonly tenure: Stake | undefined;
  /** Clock time before which nobody else gets the lock, for the sake of holds that were given back. */
  readonly keptUntil: number | undefined;
}

/** `inside`: it re-enters. `beside`: holds of others do not keep it out, and it needs none of Redis. */
export type Entry = 'inside' | 'beside' | 'none';

/** That of the re-entrant lock. */
export const reentrantPolicy: PrimitivePolicy = {
  originsOf,
  mayPassOn,
  entry: ({ holds }, request) => (mayReenter(request, holds.innermost) ? 'inside' : 'none'),
  nextToEnter: ({ holds: { innermost }, queue }) => innermost && queue.firstInside(innermost),
  depthOf: ({ holds }) => holds.depth,
  countDown: ({ keptUntil }, tenure) => tenure.steps.countDown(keptUntil),
  contends: 'first',
  holders: 'one',
};

/** That of the fair lock: whoever asked Redis first is served first, so each call asks at once, and nothing passes by Redis. */
export const fairPolicy: PrimitivePolicy = { ...reentrantPolicy, mayPassOn: () => false, contends: 'each' };

/** That of the semaphore: each call has permits of its own, beside all others, also where it is made while others are had. */
export const permitPolicy: PrimitivePolicy = { ...fairPolicy, originsOf: () => none, holders: 'many' };
