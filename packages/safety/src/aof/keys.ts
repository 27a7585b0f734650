/** Names of holdfast's keys, as docs/semantics.md section 5 lays them down. Not taken from holdfast: it is what is being checked. */
export type Key =
  | { readonly kind: 'queue' | 'fresh'; readonly lock: string }
  | { readonly kind: 'tombstone'; readonly tenure: string }
  | { readonly kind: 'other' };

/** What a key is; the hash of a lock is `other`: it has the name of the lock. */
export function keyOf(key: string): Key {
  const [, tagged, kind, rest] = /^holdfast_(tagged_)?(queue|fresh|dead):(.*)$/s.exec(key) ?? [];
  if (rest === undefined) return { kind: 'other' };
  if (kind === 'dead') return { kind: 'tombstone', tenure: tenureOf(rest) };
  return { kind: kind === 'queue' ? 'queue' : 'fresh', lock: tagged === undefined ? rest.slice(1, -1) : rest };
}

/** The lock that a key belongs to, as far as the key says; else the key. */
export function lockOf(key: string): string {
  const at = keyOf(key);
  return 'lock' in at ? at.lock : key;
}

/** `<client>:<n>`, without the name of an explicit owner before it: unique already. What stands for {@link isRest nobody} stays as it is. */
export const tenureOf = (id: string): string => (isRest(id) ? id : id.split(':').slice(-2).join(':'));

/** The owner of a lock that rests until a minimum is over. No explicit owner may have this name in a run that is judged. */
export const isRest = (id: string): boolean => id.startsWith('rest:');
