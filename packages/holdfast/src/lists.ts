/** One for all: most locks have no list most of the time. */
export const none: readonly never[] = [];

/** A copy with `item` at its end. Not by a spread, which reserves room for sixteen more. */
export function withLast<T>(list: readonly T[], item: T): readonly T[] {
  return list.length === 0 ? [item] : list.concat([item]);
}

/** A copy without `item`, so that who goes through the list is not disturbed. */
export function without<T>(list: readonly T[], item: T): readonly T[] {
  return list.length === 1 && list[0] === item ? none : list.filter((other) => other !== item);
}
