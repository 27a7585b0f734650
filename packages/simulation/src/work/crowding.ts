/** Crowds whose sections compute for a moment each: passing the lock on in memory must not keep the event loop from turning. */

import type { Desk } from './desk.js';
import { lockOf } from './lock-of.js';
import { settledAll } from './settled-all.js';

/** See the module comment. */
export async function busyCrowd(desk: Desk, lock: string): Promise<void> {
  const { chance } = desk;
  const forMs = chance.between(0.1, 0.5);
  await settledAll(Array.from({ length: chance.whole(30, 90) }, () => computed(desk, lock, forMs)));
}

async function computed(desk: Desk, lock: string, forMs: number): Promise<void> {
  const { process, witness } = desk;
  const wait = witness.waits(desk, lock);
  const call = lockOf(desk, lock).withLock((hold) => {
    wait.had();
    const entry = witness.enter(desk, lock, hold, undefined);
    process.compute(forMs);
    witness.computed(desk, lock);
    witness.leave(entry);
  });
  await witness.pending(desk, `withLock ${lock}`, call).finally(() => wait.settled());
}
