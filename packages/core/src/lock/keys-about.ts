import { tenureId } from '../protocol/arguments.js';
import type { LockKeys } from '../protocol/keys.js';

/** The keys of a script that is about one tenure, or one request, of which a tombstone tells late copies. @throws as {@link tenureId}. */
export function keysAbout(id: string, keys: LockKeys) {
  const { lock, queue, fresh } = keys;
  return { lock, queue, fresh, dead: keys.dead(tenureId(id)) };
}
