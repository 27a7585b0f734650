import type { Nemesis } from './nemesis.js';

/** `forceUnlock()` of a lock, by a worker. */
export const lockForced: Nemesis = {
  name: 'force',
  rest: [100, 500],
  async strike({ random, locks, removeLock }) {
    await removeLock(random.pick(locks), 'force');
  },
};
