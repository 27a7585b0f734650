/**
 * The end of a scope: when its function has settled, nobody re-enters through it any more, calls made directly in it that still wait are
 * cancelled, and locks that `lock()` or `tryLock()` left open are abandoned: reported, and not renewed, so that their lease runs out.
 * Releasing them at once could let two in while detached code still works; who is sure that there is none may choose `release`.
 */

import { none } from './lists.js';
import { type Scope, type ScopedLevel, within } from './scope.js';

/** What happens to locks that a scope leaves open. */
export type Leftovers = 'abandon' | 'release';

/** Runs `fn` in `scope` and ends the scope with it. Returns what `fn` returns; a promise settles after the end. */
export function runScope<T>(scope: Scope, fn: () => T, leftovers: Leftovers): T {
  let result: T;
  try {
    result = within(scope, fn);
  } catch (error) {
    void end(scope, leftovers);
    throw error;
  }
  if (!isThenable(result)) {
    void end(scope, leftovers);
    return result;
  }
  return result.then(
    (value) => end(scope, leftovers)?.then(() => value) ?? value,
    async (error: unknown) => {
      await end(scope, leftovers);
      throw error;
    },
  ) as T;
}

/** Undefined when nothing is released: most sections end so, and are not to wait for it. */
function end(scope: Scope, leftovers: Leftovers): Promise<unknown> | undefined {
  scope.end();
  if (scope.pending.size > 0) for (const call of [...scope.pending]) call.cancel();
  const open = leftOpen(scope);
  if (open.length === 0) return undefined;
  if (leftovers === 'abandon') {
    for (const level of open) level.abandon();
    return undefined;
  }
  // A loss is an event already, and there is no call left to tell.
  return Promise.all(open.map((level) => level.release().catch(() => undefined)));
}

/** A copy, of what is rarely there at all: letting go of a level takes it out of its scope. */
function leftOpen(scope: Scope): readonly ScopedLevel[] {
  let open: ScopedLevel[] | undefined;
  for (const level of scope.levels) {
    if (level.imperative && level.given && !level.lost) (open ??= []).push(level);
  }
  return open ?? none;
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}
