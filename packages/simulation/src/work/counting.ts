import type { OpenHold } from '../judges/exclusion.js';
import type { Desk } from './desk.js';
import { lockOf } from './lock-of.js';

/** Asks how often the lock is held, from inside of `entry`. */
export async function count(desk: Desk, lock: string, entry: OpenHold): Promise<void> {
  let levels = 0;
  for (let at: OpenHold | undefined = entry; at !== undefined; at = at.inside) levels++;
  const counted = await desk.witness.pending(desk, `count ${lock}`, lockOf(desk, lock).getHoldCount());
  desk.witness.counted(desk, lock, entry, levels, counted);
}
