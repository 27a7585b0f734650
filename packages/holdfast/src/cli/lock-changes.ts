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

  /** @param locks all that are held now */
  since(locks: readonly ListedLock[]): readonly LockChange[] {
    return this.#since(locks, new Map(locks.map((lock) => [lock.name, lock])));
  }

  /** @param locks those that can be seen: of any other nothing is known, so none of them is free. */
  sinceInPart(locks: readonly ListedLock[]): readonly LockChange[] {
    return this.#since(locks, new Map([...this.#before, ...locks.map((lock) => [lock.name, lock] as const)]));
  }

  #since(locks: readonly ListedLock[], now: ReadonlyMap<string, ListedLock>): readonly LockChange[] {
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
