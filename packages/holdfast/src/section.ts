import { type AcquireOptions, type CheckedOptions, checkAcquire } from './acquire-options.js';
import { LockLostError } from './errors.js';
import type { Hold } from './hold.js';
import type { Level } from './lock/level.js';
import type { Parts } from './lock/parts.js';
import { atCaller } from './reports/caller.js';
import { openScope } from './scope.js';
import { type Leftovers, runScope } from './scope-end.js';

/** What `withLock` runs while it has the lock. */
export type Section<T> = (hold: Hold) => T | PromiseLike<T>;

/** What a section stands on. */
export interface Ground {
  readonly level: Level;
  readonly hold: Hold;
  readonly owner: string | undefined;
}

/** @throws TypeError, RangeError when the options or the function are none. */
export function checkSection(method: string, options: AcquireOptions | undefined, fn: unknown): CheckedOptions {
  const checked = checkAcquire(options, method);
  if (typeof fn !== 'function') throw new TypeError(`${method} needs a function to run`);
  return checked;
}

/** Runs `fn` in a scope of its own, and gives the level back when it has settled. */
export async function runSection<T>(
  home: { readonly client: object; readonly parts: Parts; readonly leftovers: Leftovers },
  { level, hold, owner }: Ground,
  fn: Section<T>,
): Promise<T> {
  const scope = openScope('section', home.client);
  level.section = scope;
  if (owner === undefined) scope.own(level);
  let value: T;
  try {
    value = await runScope(scope, () => fn(hold), home.leftovers);
  } catch (error) {
    await releaseAfter(error, level, home.parts);
    throw error;
  }
  try {
    await level.settle();
  } catch (error) {
    atCaller(error);
  }
  return value;
}

/** The body has failed: its error is the one to tell. That of the release is attached to it, unless it says the same. */
async function releaseAfter(error: unknown, level: Level, { reporter }: Parts): Promise<void> {
  try {
    await level.settle();
  } catch (second) {
    if (error instanceof LockLostError && error.lockName === level.name) return;
    if (error instanceof Error && error.cause === undefined && Object.isExtensible(error)) error.cause = second;
    else reporter.error(second);
  }
}
