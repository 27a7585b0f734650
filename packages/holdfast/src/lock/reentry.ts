/** Who may enter a lock that is held: the rule of design.md, section 4, as pure functions over scopes and levels. */

import type { Scope, ScopedLevel } from '../scope.js';
import type { AcquireRequest } from './contender.js';
import type { Level } from './level.js';

/**
 * A call re-enters when the innermost level belongs to its scope or to an ancestor of it; one with an explicit owner, when that owner took
 * the innermost level. A scope that has ended counts for nothing, also if it ended while the call waited.
 */
export function mayReenter(request: AcquireRequest, innermost: Level | undefined): boolean {
  if (innermost === undefined) return false;
  if (request.owner !== undefined) return innermost.owner === request.owner;
  for (const scope of scopesAround(request)) if (scope.levels.has(innermost)) return true;
  return false;
}

/** The lost hold of the same lock inside which the call was made, if any. */
export function lostAround(request: AcquireRequest): ScopedLevel | undefined {
  for (const scope of scopesAround(request)) {
    for (const level of scope.levels) if (level.name === request.name && level.lost) return level;
  }
  return undefined;
}

function* scopesAround({ scope }: AcquireRequest): Generator<Scope> {
  let around = scope?.ended ? scope.parent : scope;
  for (; around !== undefined; around = around.parent) yield around;
}
