/** The steps of a run that leaves a lock open: it takes it, ends, and is told. */

import type { RLock } from 'holdfast';
import type { OpenHold } from '../judges/exclusion.js';
import type { Desk } from './desk.js';
import type { Told } from './told.js';

/** Takes it with `lock()`, inside what is in `entries` already. `told`: what is told of these holds. */
export async function locked(desk: Desk, handle: RLock, entries: OpenHold[], told?: Told): Promise<void> {
  const { name } = handle;
  const around = entries.at(-1);
  const wait = around === undefined ? desk.witness.waits(desk, name) : undefined;
  try {
    await desk.witness.pending(desk, `lock ${name}`, handle.lock());
    wait?.had();
    if (around === undefined) told?.begin();
    entries.push(desk.witness.enter(desk, name, undefined, around));
  } finally {
    wait?.settled();
  }
}

/** Its last hold ends in this turn, and nobody gives it back. */
export function leaveToLease({ judges, process, name, client, leaseMs }: Desk): void {
  for (const judge of judges.leavings) judge.abandoned(process.time, name, { id: client.clientId, leaseMs });
}

/** The run has ended. Its process is told of each acquisition that it left open, unless that was lost before or is given back. */
export async function heard(desk: Desk, told: Told, entries: readonly OpenHold[]): Promise<void> {
  // Listeners come last.
  await desk.process.sleep(1);
  if (told.lost > 0) return;
  for (const judge of desk.judges.leavings) judge.told(desk.process.time, desk.name, entries.length, told);
  for (const entry of entries) desk.witness.confirm(entry);
}
