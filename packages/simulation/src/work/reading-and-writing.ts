/** What tasks do with read-write locks. */

import type { Hold, RLock } from 'holdfast';
import type { OpenHold, Side } from '../judges/exclusion.js';
import type { Desk } from './desk.js';
import { work, workMs } from './working.js';

/** How often each is drawn. */
const shares = { read: 10, write: 5, readInside: 2, writeInside: 2, downgrade: 3, audience: 3, longRead: 1 };

/** One thing that a task does with a read-write lock; never rejects. */
export async function sharedStep(desk: Desk): Promise<void> {
  const lock = desk.chance.pick(desk.shared);
  const pattern = desk.chance.weighed(shares);
  try {
    await patterns[pattern](desk, lock);
  } catch (error) {
    desk.witness.failed(desk, lock, error, pattern);
  }
}

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, lock: string) => Promise<void>>> = {
  read: (desk, lock) => section(desk, lock, 'read'),
  write: (desk, lock) => section(desk, lock, 'alone'),
  readInside: (desk, lock) => {
    const outer = desk.chance.pick(['read', 'alone'] as const);
    return section(desk, lock, outer, undefined, (entry) => section(desk, lock, 'read', entry));
  },
  writeInside: (desk, lock) => section(desk, lock, 'alone', undefined, (entry) => section(desk, lock, 'alone', entry)),
  downgrade,
  audience: async (desk, lock) => {
    const readers = Array.from({ length: desk.chance.whole(2, 12) }, () => section(desk, lock, 'read'));
    const writers = desk.chance.happens(0.4) ? [section(desk, lock, 'alone')] : [];
    const settled = await Promise.allSettled([...readers, ...writers]);
    for (const result of settled) if (result.status === 'rejected') throw result.reason;
  },
  longRead: (desk, lock) =>
    section(desk, lock, 'read', undefined, () => desk.process.sleep(desk.chance.between(0.5, 2) * desk.leaseMs)),
};

const sideOf = ({ client }: Desk, lock: string, side: Side): RLock => {
  const both = client.getReadWriteLock(lock);
  return side === 'read' ? both.readLock() : both.writeLock();
};

async function section(
  desk: Desk,
  lock: string,
  side: Side,
  outer?: OpenHold,
  more?: (entry: OpenHold) => Promise<void>,
): Promise<void> {
  const wait = desk.witness.waits(desk, lock, side);
  const call = sideOf(desk, lock, side).withLock(async (hold) => {
    if (outer === undefined) wait.had();
    else wait.settled();
    const entry = desk.witness.enter(desk, lock, hold, outer, side);
    try {
      await work(desk, hold, workMs(desk));
      await more?.(entry);
    } finally {
      desk.witness.leave(entry);
    }
  });
  await desk.witness.pending(desk, `${side} ${lock}`, call).finally(() => wait.settled());
}

/** Writes, reads inside, and gives the writing back first. */
async function downgrade(desk: Desk, lock: string): Promise<void> {
  const wait = desk.witness.waits(desk, lock);
  const asked = sideOf(desk, lock, 'alone').acquire();
  const written = await desk.witness.pending(desk, `acquire ${lock}`, asked).finally(() => wait.settled());
  const outer = desk.witness.enter(desk, lock, written, undefined, 'alone');
  let read: Hold | undefined;
  let inner: OpenHold | undefined;
  try {
    await work(desk, written, workMs(desk));
    read = await desk.witness.pending(
      desk,
      `read inside ${lock}`,
      Promise.resolve().then(() => written.run(() => sideOf(desk, lock, 'read').acquire())),
    );
    inner = desk.witness.enter(desk, lock, read, outer, 'read');
  } finally {
    desk.witness.leave(outer);
    try {
      await desk.witness.pending(desk, `release ${lock}`, written.release());
    } finally {
      if (read !== undefined && inner !== undefined) await goOnReading(desk, read, inner);
    }
  }
}

async function goOnReading(desk: Desk, read: Hold, entry: OpenHold): Promise<void> {
  try {
    await work(desk, read, workMs(desk));
  } finally {
    desk.witness.leave(entry);
    await desk.witness.pending(desk, `release ${entry.lock}`, read.release());
  }
}
