/** One for all: most locks have no list most of the time. */
export const none: readonly never[] = [];

/** A copy without `item`, so that who goes through the list is not disturbed. */
export function without<T>(list: readonly T[], item: T): readonly T[] {
  return list.length === 1 && list[0] === item ? none : list.filter((other) => other !== item);
}
