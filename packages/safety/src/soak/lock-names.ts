/** The names of the soak's locks: two of each number, one without braces and one with, which must not meet. */

const PATTERN = /^(\{?)soak:(\d+)\}?$/;

/** The name of a lock of the soak. */
export const lockName = (lock: number): string => (lock % 2 === 0 ? `soak:${lock / 2}` : `{soak:${(lock - 1) / 2}}`);

/** Its number again. */
export function lockOf(name: string): number {
  const [, brace = '', pair = ''] = PATTERN.exec(name) ?? [];
  return 2 * Number(pair) + brace.length;
}

export const isLockName = (key: string): boolean => PATTERN.test(key);
