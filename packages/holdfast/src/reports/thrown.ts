/** What code of the application threw, which may be anything: looking at it is never an exception of ours. */

import { inspect } from 'node:util';

/** `instanceof`, which itself throws over a revoked proxy, and over one whose traps do. */
export function isThrown<T>(thrown: unknown, kind: abstract new (...args: never[]) => T): thrown is T {
  try {
    return thrown instanceof kind;
  } catch {
    return false;
  }
}

/** Whatever was thrown, in words. Not every value can be made a string, and an object may have an `inspect` of its own that throws. */
export function describeThrown(thrown: unknown): string {
  try {
    return inspect(thrown);
  } catch {
    return `a value that cannot be shown (${typeof thrown})`;
  }
}
