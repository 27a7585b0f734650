import type { Hold } from 'holdfast';
import { wallTimeIn } from './wall-time.js';

/**
 * Makes `lock.expiration` say what is true whenever it is read: a lock that was handed over has a short lease at first, and the whole one a moment later.
 * Code may assign to it, as with the package redlock: from then on it is what was assigned.
 *
 * @param mostMs - it is never later than so many milliseconds from now.
 */
export function tellExpiration(lock: { expiration: number }, hold: Hold, mostMs: number): void {
  const latest = wallTimeIn(mostMs);
  Object.defineProperty(lock, 'expiration', {
    ...{ configurable: true, enumerable: true },
    get: () => {
      const leftMs = hold.remainingMs();
      return leftMs > 0 ? Math.min(latest, wallTimeIn(leftMs)) : 0;
    },
    set: (value: number) => {
      Object.defineProperty(lock, 'expiration', { value, writable: true });
    },
  });
}
