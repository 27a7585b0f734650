/** lock() and unlock() in a run: one thread. */

import type { OpenHold } from '../judges/exclusion.js';
import type { Desk } from './desk.js';
import { lockOf } from './lock-of.js';
import { workMs } from './working.js';

export async function imperative(desk: Desk, lock: string): Promise<void> {
  await desk.client.run(async () => {
    const handle = lockOf(desk, lock);
    const times = desk.chance.whole(1, 3);
    const entries: OpenHold[] = [];
    for (let at = 0; at < times; at++) {
      await desk.witness.pending(desk, `lock ${lock}`, handle.lock());
      entries.push(desk.witness.enter(desk, lock, undefined, entries.at(-1)));
      await desk.process.sleep(workMs(desk));
    }
    if (desk.chance.happens(0.2)) {
      const counted = await desk.witness.pending(desk, `count ${lock}`, handle.getHoldCount());
      const [first] = entries;
      if (first !== undefined) desk.witness.counted(desk, lock, first, times, counted);
    }
    await unlockAll(desk, lock, entries);
  });
}

export async function triedImperative(desk: Desk, lock: string): Promise<void> {
  const waitMs = desk.chance.pick([0, 10, 300]);
  await desk.client.run(async () => {
    const handle = lockOf(desk, lock);
    const call = handle.tryLock(waitMs);
    const answered = desk.witness.mayWait(desk, lock, waitMs);
    if (!(await desk.witness.pending(desk, `tryLock ${lock}`, call).finally(answered))) return;
    const entry = desk.witness.enter(desk, lock, undefined, undefined);
    await desk.process.sleep(workMs(desk));
    await unlockAll(desk, lock, [entry]);
  });
}

async function unlockAll(desk: Desk, lock: string, entries: OpenHold[]): Promise<void> {
  let loss: Error | undefined;
  for (let entry = entries.pop(); entry !== undefined; entry = entries.pop()) {
    desk.witness.leave(entry);
    try {
      await desk.witness.pending(desk, `unlock ${lock}`, lockOf(desk, lock).unlock());
      if (loss === undefined) desk.witness.confirm(entry);
    } catch (error) {
      loss ??= error instanceof Error ? error : new Error(String(error));
    }
  }
  if (loss !== undefined) throw loss;
}
