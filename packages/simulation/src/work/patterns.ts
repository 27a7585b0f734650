/** What tasks do with locks: every way of the public API, in sizes that meet leases, waits and each other. */

import type { AcquireOptions, Hold } from 'holdfast';
import type { OpenHold } from '../judges/exclusion.js';
import type { Desk } from './desk.js';
import { givenUpAfter } from './giving-up.js';
import { imperative, triedImperative } from './imperative.js';
import { count } from './counting.js';
import { lockOf } from './lock-of.js';
import { lastOther, otherStep } from './others.js';
import { sharedStep } from './reading-and-writing.js';
import { busyCrowd } from './crowding.js';
import { countedNesting, crossed, nestedGivenUp, nestedLease } from './nesting.js';
import { settledAll } from './settled-all.js';
import type { PatternName } from '../plan/habits.js';
import { LONGEST_FIXED_LEASE_MS, work, workMs } from './working.js';

type Pattern = (desk: Desk, lock: string) => Promise<void>;

const patterns: Readonly<Record<PatternName, Pattern>> = {
  section: (desk, lock) => section(desk, lock, {}, undefined),
  nested: (desk, lock) => section(desk, lock, {}, undefined, desk.chance.whole(1, 3)),
  branches,
  shortWait: (desk, lock) => tried(desk, lock, desk.chance.below(60)),
  object,
  imperative,
  triedImperative,
  fixedLease,
  detached,
  givenUp,
  crowd: async (desk, lock) => {
    const calls = Array.from({ length: desk.chance.whole(5, 60) }, () => brief(desk, lock));
    await Promise.all(calls);
  },
  twoLocks,
  longHold: (desk, lock) => section(desk, lock, {}, undefined, 0, desk.chance.between(0.5, 2.5) * desk.leaseMs),
  queries,
  owner: (desk, lock) => ownedByName(desk, lock),
  counted: countedNesting,
  nestedLease,
  nestedGivenUp,
  crossed,
  busyCrowd,
};

/** One thing that a task does; never rejects. */
export async function step(desk: Desk): Promise<void> {
  if (desk.others.length > 0 && desk.chance.happens(0.4)) return otherStep(desk);
  if (desk.shared.length > 0 && desk.chance.happens(0.5)) return sharedStep(desk);
  const lock = desk.chance.pick(desk.locks);
  const pattern = desk.chance.weighed(desk.habits);
  try {
    await patterns[pattern](desk, lock);
  } catch (error) {
    desk.witness.failed(desk, lock, error, pattern);
  }
}

/** The last thing that a task does: everything is whole again, so it must come to its turn. */
export async function lastTurn(desk: Desk): Promise<'had' | 'failed'> {
  const lock = desk.chance.pick(desk.locks);
  try {
    await brief(desk, lock);
    for (const plan of desk.others) await lastOther(desk, plan);
    return 'had';
  } catch (error) {
    desk.witness.failed(desk, lock, error, 'lastTurn');
    return 'failed';
  }
}

async function brief(desk: Desk, lock: string): Promise<void> {
  const wait = desk.witness.waits(desk, lock);
  await desk.witness
    .pending(
      desk,
      `withLock ${lock}`,
      lockOf(desk, lock).withLock((hold) => {
        wait.had();
        desk.witness.leave(desk.witness.enter(desk, lock, hold, undefined));
      }),
    )
    .finally(() => wait.settled());
}

async function section(
  desk: Desk,
  lock: string,
  options: AcquireOptions,
  outer: OpenHold | undefined,
  levels = 0,
  forMs = workMs(desk),
): Promise<void> {
  const wait = desk.witness.waits(desk, lock);
  const inside = async (hold: Hold) => {
    if (outer === undefined) wait.had();
    else wait.settled();
    const entry = desk.witness.enter(desk, lock, hold, outer);
    try {
      await work(desk, hold, forMs);
      if (levels > 0) {
        await section(desk, lock, {}, entry, levels - 1);
        if (desk.chance.happens(0.1)) await count(desk, lock, entry);
      }
      if (outer === undefined && options.leaseMs !== undefined) desk.witness.leased(entry, options.leaseMs);
      if (desk.chance.happens(0.2)) hold.assertHeld();
    } finally {
      desk.witness.leave(entry);
    }
  };
  const call = lockOf(desk, lock).withLock(options, inside);
  await desk.witness.pending(desk, `withLock ${lock}`, call).finally(() => wait.settled());
}

/** The work may be longer than the lease. */
function fixedLease(desk: Desk, lock: string): Promise<void> {
  const { chance } = desk;
  const leaseMs = Math.round(chance.mostlySmall(100, LONGEST_FIXED_LEASE_MS));
  const forMs = chance.happens(0.4) ? chance.between(0.5, 1.5) * leaseMs : workMs(desk);
  return section(desk, lock, { leaseMs }, undefined, 0, forMs);
}

/** A flow that was started inside goes on when the section has ended: it is a stranger by then, and must wait like one. */
async function detached(desk: Desk, lock: string): Promise<void> {
  let goOn = (): void => undefined;
  let rest = Promise.resolve();
  const inside = async (hold: Hold) => {
    const entry = desk.witness.enter(desk, lock, hold, undefined);
    rest = new Promise<void>((resolve) => {
      goOn = resolve;
    }).then(() => section(desk, lock, {}, undefined));
    try {
      await work(desk, hold, workMs(desk));
    } finally {
      desk.witness.leave(entry);
    }
  };
  try {
    await desk.witness.pending(desk, `withLock ${lock}`, lockOf(desk, lock).withLock(inside));
  } finally {
    goOn();
    await rest;
  }
}

/** Siblings below a parent that holds the lock: never two of them at once. */
async function branches(desk: Desk, lock: string): Promise<void> {
  const inside = async (hold: Hold) => {
    const entry = desk.witness.enter(desk, lock, hold, undefined);
    try {
      const children = Array.from({ length: desk.chance.whole(2, 4) }, () => section(desk, lock, {}, entry));
      await settledAll(children);
    } finally {
      desk.witness.leave(entry);
    }
  };
  await desk.witness.pending(desk, `branches ${lock}`, lockOf(desk, lock).withLock(inside));
}

async function tried(desk: Desk, lock: string, waitMs: number): Promise<void> {
  const call = lockOf(desk, lock).tryWithLock({ waitMs }, async (hold) => {
    answered();
    const entry = desk.witness.enter(desk, lock, hold, undefined);
    try {
      await work(desk, hold, workMs(desk));
    } finally {
      desk.witness.leave(entry);
    }
  });
  const answered = desk.witness.mayWait(desk, lock, waitMs);
  await desk.witness.pending(desk, `tryWithLock ${lock}`, call).finally(answered);
}

async function object(desk: Desk, lock: string): Promise<void> {
  const wait = desk.witness.waits(desk, lock);
  const call = lockOf(desk, lock).acquire();
  const hold = await desk.witness.pending(desk, `acquire ${lock}`, call).finally(() => wait.settled());
  await holding(desk, lock, hold);
}

async function holding(desk: Desk, lock: string, hold: Hold): Promise<void> {
  const entry = desk.witness.enter(desk, lock, hold, undefined);
  try {
    await work(desk, hold, workMs(desk));
    if (desk.chance.happens(0.3)) await hold.run(() => section(desk, lock, {}, entry));
  } finally {
    desk.witness.leave(entry);
    await desk.witness.pending(desk, `release ${lock}`, hold.release());
  }
}

async function givenUp(desk: Desk, lock: string): Promise<void> {
  const hold = await givenUpAfter(desk, desk.chance.below(40), (signal) =>
    desk.witness.pending(desk, `acquire ${lock}`, lockOf(desk, lock).acquire({ signal })),
  );
  if (hold !== undefined) await holding(desk, lock, hold);
}

/** Two locks, always in the same order. */
async function twoLocks(desk: Desk, lock: string): Promise<void> {
  const other = desk.chance.pick(desk.locks);
  if (other === lock) return section(desk, lock, {}, undefined);
  const [first = lock, second = other] = [lock, other].sort();
  const call = lockOf(desk, first).withLock(async (hold) => {
    const entry = desk.witness.enter(desk, first, hold, undefined);
    try {
      await section(desk, second, { waitMs: 2_000 }, undefined);
    } finally {
      desk.witness.leave(entry);
    }
  });
  await desk.witness.pending(desk, `withLock ${first}`, call);
}

async function queries(desk: Desk, lock: string): Promise<void> {
  const handle = lockOf(desk, lock);
  await desk.witness.pending(desk, `isLocked ${lock}`, handle.isLocked());
  await desk.witness.pending(desk, `remainTimeToLive ${lock}`, handle.remainTimeToLive());
  await desk.witness.pending(desk, `inspect ${lock}`, desk.client.inspect(lock));
}

/** An explicit owner: of this task, so that nothing else re-enters. */
async function ownedByName(desk: Desk, lock: string): Promise<void> {
  const handle = lockOf(desk, lock, { owner: desk.name });
  const hold = await desk.witness.pending(desk, `acquire ${lock}`, handle.acquire());
  const entry = desk.witness.enter(desk, lock, hold, undefined);
  try {
    await work(desk, hold, workMs(desk));
  } finally {
    desk.witness.leave(entry);
    await desk.witness.pending(desk, `release ${lock}`, hold.release());
  }
}
