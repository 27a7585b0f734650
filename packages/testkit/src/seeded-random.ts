/** Random choices that a seed repeats exactly. Made by {@link seededRandom}. */
export interface SeededRandom {
  /** From 0 up to, not including, 1. */
  next(): number;
  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number;
  /** One of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T;
  /** A copy of `items` in another order. */
  shuffled<T>(items: readonly T[]): T[];
}

/** The same seed (a whole number) gives the same choices, on every machine. Print the seed where a test fails. */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  // mulberry32: 32 bits of state are plenty for tests, and it fits in five lines.
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number): number => Math.floor(next() * limit);
  const shuffled = <T>(items: readonly T[]): T[] => {
    const pool = [...items];
    return items.flatMap(() => pool.splice(below(pool.length), 1));
  };
  const pick = <T>(items: readonly T[]): T => {
    const [picked] = items.slice(below(items.length));
    if (picked === undefined) throw new RangeError('nothing to pick from');
    return picked;
  };
  return { next, below, pick, shuffled };
}
