/** The names of the soak's locks: two of each number, one without braces and one with, which must not meet. */

const PATTERN = /^(\{?)soak:(\d+)\}?$/;

/** The name of a lock of the soak. */
export const lockName = (lock: number): string => (lock % 2 === 0 ? `soak:${lock / 2}` : `{soak:${(lock - 1) / 2}}`);

/** As what a lock is asked for, by everybody: three of sixteen pairs are not plain. Whoever waits for one stands in a line, like all others. */
export function kindOf(lock: number): 'plain' | 'fenced' | 'fair' | 'written' {
  switch (Math.floor(lock / 2) % 16) {
    case 1:
      return 'fenced';
    case 6:
      return 'fair';
    case 11:
      return 'written';
    default:
      return 'plain';
  }
}

/** Its number again. */
export function lockOf(name: string): number {
  const [, brace = '', pair = ''] = PATTERN.exec(name) ?? [];
  return 2 * Number(pair) + brace.length;
}

export const isLockName = (key: string): boolean => PATTERN.test(key);
