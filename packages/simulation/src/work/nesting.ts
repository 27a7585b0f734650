/** What tasks do inside a hold of a plain lock, where a temper wants more of it. */

import type { AcquireOptions, Hold } from 'holdfast';
import type { OpenHold } from '../judges/exclusion.js';
import { count } from './counting.js';
import type { Desk } from './desk.js';
import { lockOf } from './lock-of.js';
import { givenUp, section, type Taking } from './taking.js';
import { LONGEST_FIXED_LEASE_MS, work, workMs } from './working.js';

/** One or two levels, and what Redis counts before and after. */
export function countedNesting(desk: Desk, lock: string): Promise<void> {
  const inner = taking(desk, lock);
  return section(desk, taking(desk, lock), workMs(desk), async ([entry]) => {
    if (entry === undefined) return;
    await section(
      desk,
      inner,
      workMs(desk),
      ([nested]) => (nested === undefined ? nothing() : count(desk, lock, nested)),
      [entry],
    );
    await count(desk, lock, entry);
  });
}

/** A lease inside another, shorter or longer than what is left of that one. */
export function nestedLease(desk: Desk, lock: string): Promise<void> {
  const leased = () =>
    taking(desk, lock, { leaseMs: Math.round(desk.chance.mostlySmall(100, LONGEST_FIXED_LEASE_MS)) });
  return section(desk, leased(), workMs(desk), (entries) => section(desk, leased(), workMs(desk), undefined, entries));
}

/** A call inside is given up, perhaps while its command is on its way: it counts nothing in the end. */
export function nestedGivenUp(desk: Desk, lock: string): Promise<void> {
  return section(desk, taking(desk, lock), 0, async (entries) => {
    await givenUp(desk, taking(desk, lock), 0, entries);
    // What is told to Redis of one tenure is told in order, so that the hold that was given up is gone when this one is.
    await section(desk, taking(desk, lock), workMs(desk), undefined, entries);
    for (const entry of entries) await count(desk, lock, entry);
  });
}

/** A hold is given back while a call inside it is on its way: that call has the lock then, or is refused, and nothing is left behind of either. */
export async function crossed(desk: Desk, lock: string): Promise<void> {
  const handle = lockOf(desk, lock);
  const wait = desk.witness.waits(desk, lock);
  const outer = await desk.witness.pending(desk, `acquire ${lock}`, handle.acquire()).finally(() => wait.settled());
  const entry = desk.witness.enter(desk, lock, outer, undefined);
  await work(desk, outer, workMs(desk));
  const inner = outer.run(() => desk.witness.pending(desk, `acquire ${lock} inside`, handle.acquire()));
  desk.witness.leave(entry);
  const [had, released] = await Promise.allSettled([
    inner.then((hold) => nestedAlone(desk, lock, hold, entry)),
    desk.witness.pending(desk, `release ${lock}`, outer.release()),
  ]);
  for (const end of [had, released]) if (end.status === 'rejected') throw end.reason;
}

/** One that re-entered `around`, which is given back by now. */
async function nestedAlone(desk: Desk, lock: string, hold: Hold, around: OpenHold): Promise<void> {
  const entry = desk.witness.enter(desk, lock, hold, around);
  try {
    await work(desk, hold, workMs(desk));
  } finally {
    desk.witness.leave(entry);
    await desk.witness.pending(desk, `release ${lock} inside`, hold.release());
  }
}

const nothing = (): Promise<void> => Promise.resolve();

function taking(desk: Desk, lock: string, options: AcquireOptions = {}): Taking {
  return {
    names: [lock],
    handle: lockOf(desk, lock),
    options,
    watch: () => {
      const wait = desk.witness.waits(desk, lock);
      const settled = () => wait.settled();
      const had = ({ inside }: OpenHold) => (inside === undefined ? wait.had() : settled());
      return { had, returned: () => undefined, settled };
    },
  };
}
