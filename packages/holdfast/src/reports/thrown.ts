/** What a listener of the application's threw, when the process is warned of it: never an exception of ours. */

import { inspect } from 'node:util';

/** Whatever was thrown, in words. Not every value can be made a string, and an object may have an `inspect` of its own that throws. */
export function describeThrown(thrown: unknown): string {
  try {
    return inspect(thrown);
  } catch {
    return `a value that cannot be shown (${typeof thrown})`;
  }
}
