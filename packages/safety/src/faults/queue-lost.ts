import { lockKeys, readWriteKeys, semaphoreKeys } from '@holdfast/core';
import type { Nemesis } from './nemesis.js';

/** A stranger deletes the queue of a lock, or what is known of those who stand in it: they ask again. */
export const queueLost: Nemesis = {
  name: 'queue-lost',
  rest: [200, 1_000],
  async strike({ anyMaster, random, locks, note }) {
    const lock = random.pick(locks);
    const { queue, fresh } = lockKeys(lock);
    const shared = readWriteKeys(lock);
    const permits = semaphoreKeys(lock);
    // Whichever kind of lock it is: the keys of the other kinds are not there.
    const keys = random.pick([
      [queue, shared.writers, permits.queue],
      [queue, shared.readers, permits.queue],
      [fresh, shared.fresh, permits.fresh],
    ]);
    const admin = await (await anyMaster()).admin();
    for (const key of keys) await (random.next() < 0.5 ? admin.del(key) : admin.pexpire(key, 1));
    note({ code: 'queue-lost', state: 'once', lock });
  },
};
