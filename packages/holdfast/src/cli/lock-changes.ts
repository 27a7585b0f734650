import type { ListedLock } from 'holdfast';

/** What has become of a lock between two looks at it. */
export type LockChange =
  /** It is held, and was not, or this is the first look. */
  | ({ readonly change: 'held' } & ListedLock)
  /** Another has it. */
  | ({ readonly change: 'passed' } & ListedLock)
  /** More or fewer read it, or wait for it. */
  | ({ readonly change: 'crowd' } & ListedLock)
  /** Nobody has it any more. */
  | { readonly change: 'free'; readonly name: string };

/** What has changed since the last look. What comes and goes between two looks is not seen. */
export class LockChanges {
  #before: ReadonlyMap<string, ListedLock> = new Map();

  /** Those that were held at the last look and are not among these. */
  goneFrom(locks: readonly ListedLock[]): readonly string[] {
    const now = new Set(locks.map(({ name }) => name));
    return [...this.#before.keys()].filter((name) => !now.has(name));
  }

  /**
   * @param locks those that are seen now
   * @param unseen names of others that may be held still: none of them is free
   */
  since(locks: readonly ListedLock[], unseen: readonly string[] = []): readonly LockChange[] {
    const kept = unseen.flatMap((name) => this.#before.get(name) ?? []);
    const now = new Map([...kept, ...locks].map((lock) => [lock.name, lock]));
    const before = this.#before;
    this.#before = now;
    const changes: LockChange[] = [...before.keys()]
      .filter((name) => !now.has(name))
      .map((name) => ({ change: 'free', name }));
    for (const lock of locks) {
      const change = changeOf(before.get(lock.name), lock);
      if (change !== undefined) changes.push({ change, ...lock });
    }
    return changes;
  }
}

function changeOf(before: ListedLock | undefined, now: ListedLock): 'held' | 'passed' | 'crowd' | undefined {
  if (before === undefined) return 'held';
  // Of many readers any may be named.
  const areReaders = before.side === 'read' && now.side === 'read';
  if (before.side !== now.side || (!areReaders && before.owner.id !== now.owner.id)) return 'passed';
  return before.holders === now.holders && before.waiting === now.waiting ? undefined : 'crowd';
}
