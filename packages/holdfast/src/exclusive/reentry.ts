/** Who may enter a lock that is held: the rule of docs/semantics.md, section 3, as pure functions over scopes and holds. */

import { type Scope, type ScopedHold, scopesAround } from '../scopes/scope.js';
import { isSameLock, type LockIdentity } from '../tenure/operations.js';
import type { AcquireRequest } from '../waiting/waiter.js';
import type { HoldRecord } from './hold-record.js';

/**
 * A call re-enters when the innermost hold belongs to its scope or to an ancestor of it; one with an explicit owner, when that owner took
 * the innermost hold. A scope that has ended counts for nothing, also if it ended while the call waited.
 */
export function mayReenter(request: AcquireRequest, innermost: HoldRecord | undefined): boolean {
  if (innermost === undefined) return false;
  if (request.owner !== undefined) return innermost.owner === request.owner;
  return scopesAround(request.scope).some(({ holds }) => holds.has(innermost));
}

/** What a hold that the call may re-enter belongs to: one of the live scopes around the call, or its explicit owner. */
export function originsOf(request: AcquireRequest): readonly (Scope | string)[] {
  return request.owner === undefined ? scopesAround(request.scope) : [request.owner];
}

/** The lost hold of the same lock that is around `from`, if any. `onOther` is told of those that it meets before that. */
export function lostAround(
  lock: LockIdentity,
  from: Scope | undefined,
  onOther?: (hold: ScopedHold) => void,
): ScopedHold | undefined {
  for (const { holds } of scopesAround(from)) {
    for (const record of holds) {
      if (!isSameLock(record, lock)) continue;
      if (record.lost) return record;
      onOther?.(record);
    }
  }
  return undefined;
}
