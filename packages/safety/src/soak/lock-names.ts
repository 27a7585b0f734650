/** The names of the soak's locks: two of each number, one without braces and one with, which must not meet. */

const PATTERN = /^(\{?)soak:(\d+)&?\}?$/;

/** The name of a lock of the soak. */
export const lockName = (lock: number): string => (lock % 2 === 0 ? `soak:${lock / 2}` : `{soak:${(lock - 1) / 2}}`);

/** What is had together with it, where it is a multi-lock. */
export const companionOf = (lock: number): string => lockName(lock).replace(/\d+/, '$&&');

/** What a lock is to everybody. */
export type SoakKind = 'plain' | 'fenced' | 'fair' | 'written' | 'led' | 'permit' | 'id' | 'multi';

/** As what a lock is asked for, by everybody: seven of sixteen pairs are not plain. Whoever waits for one stands in a line, like all others. */
export function kindOf(lock: number): SoakKind {
  switch (Math.floor(lock / 2) % 16) {
    case 1:
      return 'fenced';
    case 6:
      return 'fair';
    case 11:
      return 'written';
    case 3:
      return 'led';
    case 8:
      return 'permit';
    case 13:
      return 'id';
    case 15:
      return 'multi';
    default:
      return 'plain';
  }
}

/** Its number again. */
export function lockOf(name: string): number {
  const [, brace = '', pair = ''] = PATTERN.exec(name) ?? [];
  return 2 * Number(pair) + brace.length;
}

/** Whether it is a semaphore of one permit. */
export const isPool = (lock: number): boolean => kindOf(lock) === 'permit' || kindOf(lock) === 'id';

export const isLockName = (key: string): boolean => PATTERN.test(key);
