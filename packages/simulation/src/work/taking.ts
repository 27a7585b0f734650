/** Locks that are had as one: the names that a handle stands for, taken and given back together. */

import type { AcquireOptions, Hold, RLock } from 'holdfast';
import type { OpenHold } from '../judges/exclusion.js';
import type { Desk } from './desk.js';
import { givenUpAfter } from './giving-up.js';
import { work } from './working.js';

/** Is told of one call, by who judges more than its holds. */
export interface CallWatch {
  /** The caller has it. */
  had(entry: OpenHold): void;
  /** The call that gave it back says that it was held to the end. */
  returned(entry: OpenHold): void;
  /** It has come to nothing, or is over. */
  settled(): void;
}

/** Tells the witness for how long the call waits. */
export function waitWatch(desk: Desk, name: string): CallWatch {
  const wait = desk.witness.waits(desk, name);
  return {
    had: ({ inside }) => {
      if (inside === undefined) wait.had();
      else wait.settled();
    },
    returned: () => undefined,
    settled: () => wait.settled(),
  };
}

/** A handle, and the names of which a hold of it is a hold each. */
export interface Taking {
  readonly names: readonly string[];
  readonly handle: RLock;
  /** Of every call. */
  readonly options?: AcquireOptions;
  /** A call is made. */
  readonly watch?: () => CallWatch;
}

/** What is done inside. */
export type Inside = (entries: readonly OpenHold[]) => Promise<void>;

const nothing: Inside = () => Promise.resolve();

/** Has it for `forMs`, inside a section. `around`: the holds that this one re-enters. */
export async function section(
  desk: Desk,
  { names, handle, options = {}, watch }: Taking,
  forMs: number,
  inside = nothing,
  around: readonly OpenHold[] = [],
): Promise<void> {
  const watched = watch?.();
  let entries: readonly OpenHold[] = [];
  const call = handle.withLock(options, (hold) => {
    entries = begun(desk, names, hold, around, watched);
    return during(desk, hold, entries, forMs, inside);
  });
  try {
    await desk.witness.pending(desk, `withLock ${names.join()}`, call);
    for (const entry of entries) watched?.returned(entry);
  } finally {
    watched?.settled();
  }
}

/** One call that may be refused. */
export async function tried(desk: Desk, taking: Taking, waitMs: number, forMs: number): Promise<void> {
  const { names, handle, options } = taking;
  const call = () =>
    desk.witness.pending(desk, `tryAcquire ${names.join()}`, handle.tryAcquire({ ...options, waitMs }));
  await given(desk, taking, call, forMs);
}

/** A hold as an object, for which nobody waits longer than a moment. `around`: as for a section. */
export async function givenUp(
  desk: Desk,
  taking: Taking,
  forMs: number,
  around: readonly OpenHold[] = [],
): Promise<void> {
  const call = () => givenUpAfter(desk, desk.chance.below(40), (signal) => acquired(desk, taking, { signal }));
  await given(desk, taking, call, forMs, around);
}

/** A hold as an object. */
export async function object(desk: Desk, taking: Taking, forMs: number): Promise<void> {
  await given(desk, taking, () => acquired(desk, taking, {}), forMs);
}

function acquired(desk: Desk, { names, handle, options }: Taking, more: AcquireOptions): Promise<Hold> {
  return desk.witness.pending(desk, `acquire ${names.join()}`, handle.acquire({ ...options, ...more }));
}

async function given(
  desk: Desk,
  { names, watch }: Taking,
  call: () => Promise<Hold | null | undefined>,
  forMs: number,
  around: readonly OpenHold[] = [],
): Promise<void> {
  const watched = watch?.();
  try {
    const hold = await call();
    if (hold === null || hold === undefined) return;
    const entries = begun(desk, names, hold, around, watched);
    try {
      await during(desk, hold, entries, forMs, nothing);
    } finally {
      await desk.witness.pending(desk, `release ${names.join()}`, hold.release());
    }
    for (const entry of entries) watched?.returned(entry);
  } finally {
    watched?.settled();
  }
}

function begun(
  desk: Desk,
  names: readonly string[],
  hold: Hold,
  around: readonly OpenHold[],
  watched: CallWatch | undefined,
): OpenHold[] {
  return names.map((name) => {
    const outer = around.find(({ lock }) => lock === name);
    const entry = desk.witness.enter(desk, name, hold, outer);
    watched?.had(entry);
    return entry;
  });
}

async function during(
  desk: Desk,
  hold: Hold,
  entries: readonly OpenHold[],
  forMs: number,
  inside: Inside,
): Promise<void> {
  try {
    await work(desk, hold, forMs);
    await inside(entries);
  } finally {
    for (const entry of entries) desk.witness.leave(entry);
  }
}
