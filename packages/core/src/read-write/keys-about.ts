import { tenureId } from '../protocol/arguments.js';
import type { ReadWriteKeys } from '../protocol/keys.js';

/** The keys of a script that is about one tenure, or one request, of which a tombstone tells late copies. @throws as {@link tenureId}. */
export function keysAbout(id: string, keys: ReadWriteKeys) {
  const { lock, writers, readers, fresh } = keys;
  return { lock, writers, readers, fresh, dead: keys.dead(tenureId(id)) };
}
