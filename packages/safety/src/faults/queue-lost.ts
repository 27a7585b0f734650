import { lockKeys } from '@holdfast/core';
import type { Nemesis } from './nemesis.js';

/** A stranger deletes the queue of a lock, or what is known of those who stand in it: they ask again. */
export const queueLost: Nemesis = {
  name: 'queue-lost',
  rest: [200, 1_000],
  async strike({ anyMaster, random, locks, note }) {
    const lock = random.pick(locks);
    const { queue, fresh } = lockKeys(lock);
    const key = random.pick([queue, fresh]);
    const admin = await (await anyMaster()).admin();
    if (random.next() < 0.5) await admin.del(key);
    else await admin.pexpire(key, 1);
    note({ code: 'queue-lost', state: 'once', lock });
  },
};
