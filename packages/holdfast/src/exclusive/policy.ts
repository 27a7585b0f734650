/**
 * The policy of an exclusive primitive: what the coordinator asks it, where primitives differ.
 *
 * | question | the re-entrant lock |
 * |---|---|
 * | which call may enter while the lock is held? | one inside the innermost hold (`reentry.ts`) |
 * | may the lock pass to the next call of this process in memory? | while the lease is healthy, and others are not kept longer than a small tenure (`handoff-rule.ts`) |
 * | which operations? | `primitives/lock-operations.ts`, handed over with the name |
 * | does the first waiting call contend in Redis, or each? | the first, for all of them: they wait for one coordinator, which has one tenure. Where each does, each has a coordinator (`lanes.ts`) |
 */

import type { LockParts } from '../client-parts.js';
import type { Scope } from '../scopes/scope.js';
import type { Stake } from '../tenure/stake.js';
import type { AcquireRequest } from '../waiting/waiter.js';
import { mayPassOn } from './handoff-rule.js';
import type { HoldRecord } from './hold-record.js';
import { mayReenter, originsOf } from './reentry.js';

/** See the module comment. */
export interface ExclusivePolicy {
  /** Whether a call may enter while `innermost` is the innermost hold. */
  mayReenter(request: AcquireRequest, innermost: HoldRecord | undefined): boolean;
  /** What a hold that the call may re-enter belongs to: the index of waiting calls by what {@link mayReenter} looks at. */
  originsOf(request: AcquireRequest): readonly (Scope | string)[];
  /** Whether a held tenure may be passed on to the next call of this process now. */
  mayPassOn(tenure: Stake, parts: LockParts): boolean;
  /** Who asks Redis when several calls of this process wait: the first, on behalf of all, or each for itself. */
  readonly contends: 'first' | 'each';
}

/** That of the re-entrant lock. */
export const reentrantPolicy: ExclusivePolicy = { mayReenter, originsOf, mayPassOn, contends: 'first' };

/** That of the fair lock: whoever asked Redis first is served first, so each call asks at once, and nothing passes by Redis. */
export const fairPolicy: ExclusivePolicy = { mayReenter, originsOf, mayPassOn: () => false, contends: 'each' };
