import { tenureId } from '../protocol/arguments.js';
import type { SemaphoreKeys } from '../protocol/keys.js';

/** The keys of a script that is about one tenure, or one request, of which a tombstone tells late copies. @throws as {@link tenureId}. */
export function keysAbout(id: string, keys: SemaphoreKeys) {
  const { count, queue, fresh, timeouts, permits } = keys;
  return { count, queue, fresh, timeouts, permits, dead: keys.dead(tenureId(id)) };
}
