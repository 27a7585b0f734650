/** Locks that are had as one: the names that a handle stands for, taken and given back together. */

import type { AcquireOptions, Hold, RLock } from 'holdfast';
import type { OpenHold } from '../judges/exclusion.js';
import type { Desk } from './desk.js';
import { givenUpAfter } from './giving-up.js';
import { work } from './working.js';

/** A handle, and the names of which a hold of it is a hold each. */
export interface Taking {
  readonly names: readonly string[];
  readonly handle: RLock;
}

/** What is done inside. */
export type Inside = (entries: readonly OpenHold[]) => Promise<void>;

const nothing: Inside = () => Promise.resolve();

/** Has it for `forMs`, inside a section. `around`: the holds that this one re-enters. */
export async function section(
  desk: Desk,
  { names, handle }: Taking,
  forMs: number,
  inside = nothing,
  around: readonly OpenHold[] = [],
): Promise<void> {
  const call = handle.withLock((hold) => entered(desk, names, hold, forMs, inside, around));
  await desk.witness.pending(desk, `withLock ${names.join()}`, call);
}

/** One call that may be refused. */
export async function tried(desk: Desk, { names, handle }: Taking, waitMs: number, forMs: number): Promise<void> {
  const hold = await desk.witness.pending(desk, `tryAcquire ${names.join()}`, handle.tryAcquire({ waitMs }));
  if (hold !== null) await given(desk, names, hold, forMs);
}

/** A hold as an object, for which nobody waits longer than a moment. */
export async function givenUp(desk: Desk, taking: Taking, forMs: number): Promise<void> {
  const hold = await givenUpAfter(desk, desk.chance.below(40), (signal) => acquired(desk, taking, { signal }));
  if (hold !== undefined) await given(desk, taking.names, hold, forMs);
}

/** A hold as an object. */
export async function object(desk: Desk, taking: Taking, forMs: number): Promise<void> {
  await given(desk, taking.names, await acquired(desk, taking, {}), forMs);
}

function acquired(desk: Desk, { names, handle }: Taking, options: AcquireOptions): Promise<Hold> {
  return desk.witness.pending(desk, `acquire ${names.join()}`, handle.acquire(options));
}

async function given(desk: Desk, names: readonly string[], hold: Hold, forMs: number): Promise<void> {
  try {
    await entered(desk, names, hold, forMs, nothing, []);
  } finally {
    await desk.witness.pending(desk, `release ${names.join()}`, hold.release());
  }
}

async function entered(
  desk: Desk,
  names: readonly string[],
  hold: Hold,
  forMs: number,
  inside: Inside,
  around: readonly OpenHold[],
): Promise<void> {
  const entries = names.map((name) => {
    const outer = around.find(({ lock }) => lock === name);
    return desk.witness.enter(desk, name, hold, outer);
  });
  try {
    await work(desk, hold, forMs);
    await inside(entries);
  } finally {
    for (const entry of entries) desk.witness.leave(entry);
  }
}
