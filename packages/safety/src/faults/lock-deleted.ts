import type { Nemesis } from './nemesis.js';

/** DEL of a lock's key: an operator's mistake. */
export const lockDeleted: Nemesis = {
  name: 'del',
  rest: [100, 500],
  async strike({ random, locks, removeLock }) {
    await removeLock(random.pick(locks), 'del');
  },
};
