/**
 * The end of a scope: when its function has settled, no call re-enters through it any more, calls made directly in it that still wait are
 * cancelled, and locks that `lock()` or `tryLock()` left open are abandoned: reported, and not renewed, so that their lease runs out.
 * Releasing them at once could let two in while detached code still works; an application that is sure to have none may choose `release`. Where that code
 * comes to its `unlock()` after all, as that of a request whose caller has hung up, the lock is given back then.
 */

import { none } from '../lists.js';
import { type Scope, type ScopedHold, within } from './scope.js';
import { checkIsDone, settling } from './settling.js';

/** What happens to locks that a scope leaves open: abandoned, or released, and then who is told why one was not. */
export type Leftovers = 'abandon' | ((error: unknown) => void);

/** Runs `fn` in `scope` and ends the scope with it. Returns what `fn` returns; what `await` would wait for is a promise, settled after the end. */
export function runScope<T>(scope: Scope, fn: () => T, leftovers: Leftovers): T | Promise<Awaited<T>> {
  let result: T | Promise<Awaited<T>>;
  try {
    result = inside(scope, fn);
  } catch (error) {
    void endScope(scope, leftovers);
    throw error;
  }
  if (!(result instanceof Promise)) {
    void endScope(scope, leftovers);
    return result;
  }
  // Not by its own `then`, which `await` would not ask either.
  return Promise.prototype.then.call(
    result,
    (value: unknown) => endScope(scope, leftovers)?.then(() => checkIsDone(value)) ?? checkIsDone(value),
    async (error: unknown) => {
      await endScope(scope, leftovers);
      throw error;
    },
  ) as Promise<Awaited<T>>;
}

/** Runs `fn` in `scope`, which its caller ends: what is to be awaited is a promise. */
export function inside<T>(scope: Scope, fn: () => T): T | Promise<Awaited<T>> {
  return within(scope, () => settling(fn()));
}

/** Undefined when nothing is released: most sections end so, and are not to wait for it. */
export function endScope(scope: Scope, leftovers: Leftovers): Promise<unknown> | undefined {
  scope.end();
  if (scope.pending.size > 0) for (const call of [...scope.pending]) call.cancel();
  const open = leftOpen(scope);
  const abandoned = leftovers === 'abandon' ? open : none;
  scope.forget(abandoned);
  for (const hold of abandoned) hold.abandon();
  if (leftovers === 'abandon' || open.length === 0) return undefined;
  // There is no call left to tell.
  return Promise.all(open.map((hold) => hold.release().catch(leftovers)));
}

/** A copy, of what is rarely there at all: letting go of a hold takes it out of its scope. */
function leftOpen(scope: Scope): readonly ScopedHold[] {
  let open: ScopedHold[] | undefined;
  for (const hold of scope.holds) {
    if (hold.imperative && hold.given && !hold.lost) (open ??= []).push(hold);
  }
  return open ?? none;
}
