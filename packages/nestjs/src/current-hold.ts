import { AsyncLocalStorage } from 'node:async_hooks';
import type { Hold } from 'holdfast';

const holds = new AsyncLocalStorage<Hold>();

/** Runs `work`, in which {@link currentHold} is `hold`. */
export const runHolding = <T>(hold: Hold, work: () => T): T => holds.run(hold, work);

/**
 * The hold that the innermost method with `@WithLock` runs under, from anywhere below it: for its signal, and for `assertHeld()` just before the step that must
 * not run twice. No parameter has to be handed through.
 *
 * Not promised: that it is still held. Work that the method has started and not awaited finds a hold whose `state` is `released`.
 *
 * @throws Error when no method with `@WithLock` has called: the code relies on a lock that nobody has taken.
 */
export function currentHold(): Hold {
  const hold = holds.getStore();
  if (hold === undefined) throw new Error('currentHold(): no method with @WithLock has called this code');
  return hold;
}
