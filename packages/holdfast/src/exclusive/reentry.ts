/** Who may enter a lock that is held: the rule of docs/semantics.md, section 3, as pure functions over scopes and holds. */

import { none } from '../lists.js';
import type { Scope, ScopedHold } from '../scopes/scope.js';
import { isSameLock, type LockIdentity } from '../tenure/operations.js';
import type { AcquireRequest } from '../waiting/waiter.js';
import type { HoldRecord } from './hold-record.js';

/** Where a call was made. */
interface ScopeOf {
  readonly scope?: Scope | undefined;
}

/**
 * A call re-enters when the innermost hold belongs to its scope or to an ancestor of it; one with an explicit owner, when that owner took
 * the innermost hold. A scope that has ended counts for nothing, also if it ended while the call waited.
 */
export function mayReenter(request: AcquireRequest, innermost: HoldRecord | undefined): boolean {
  if (innermost === undefined) return false;
  if (request.owner !== undefined) return innermost.owner === request.owner;
  for (let scope = innermostLive(request); scope !== undefined; scope = scope.parent) {
    if (scope.holds.has(innermost)) return true;
  }
  return false;
}

/** What a hold that the call may re-enter belongs to: one of the live scopes around the call, or its explicit owner. */
export function originsOf(request: AcquireRequest): readonly (Scope | string)[] {
  if (request.owner !== undefined) return [request.owner];
  let scope = innermostLive(request);
  if (scope === undefined) return none;
  const origins: Scope[] = [];
  for (; scope !== undefined; scope = scope.parent) origins.push(scope);
  return origins;
}

/** The lost hold of the same lock inside which the call was made, if any. */
export function lostAround(
  request: LockIdentity & ScopeOf,
  innermost = innermostLive(request),
): ScopedHold | undefined {
  for (let scope = innermost; scope !== undefined; scope = scope.parent) {
    for (const record of scope.holds) if (isSameLock(record, request) && record.lost) return record;
  }
  return undefined;
}

/** The scope of the call, or where that has ended, the one around it. */
export function innermostLive({ scope }: ScopeOf): Scope | undefined {
  return scope?.ended ? scope.parent : scope;
}
