/** Rounds with the other locks of the family: readers and writers, several locks at once, a strict order, a time to rest. */
import { setTimeout as pause } from 'node:timers/promises';
import { LockUpgradeError, type RLock } from 'holdfast';
import { type Desk, type FamilyDesk, longestWaitMs, shortWork, thread } from './desk.js';
import { givenUpCampaign, leading, leadingInside } from './leading.js';
import type { Open } from './journal.js';
import { sharing, stampede } from './sharing.js';

type Pattern = (desk: FamilyDesk) => Promise<void>;

const waitMs = longestWaitMs;
/** So many of the read-write locks are also held for long. */
const LONG = 3;

/** A look at what others may look at too: nothing is written. */
async function look({ journal, random }: Desk, open: Open): Promise<void> {
  journal.work(open);
  await pause(random.below(4));
  journal.work(open);
}

/** Reads, sometimes inside what it reads; or asks to write there, which must be refused at once. */
const reading: Pattern = async (desk) => {
  const { client, journal, random, locks } = desk;
  const lock = client.getReadWriteLock(random.pick(locks.shared));
  const reads = new Set([lock.name]);
  const circumstances = { ...thread(desk, 'reading'), reads };
  const fixed = random.next() < 0.1 ? { leaseMs: random.below(300) + 150 } : {};
  await journal.section(lock.readLock(), circumstances, { waitMs, ...fixed }, async (open) => {
    if (random.next() < 0.2) journal.listen(open);
    await look(desk, open);
    if (random.next() < 0.2)
      await journal.section(lock.readLock(), { ...circumstances, depth: 2 }, { waitMs }, (inner) => look(desk, inner));
    if (random.next() < 0.05) await mustBeRefused(desk, lock.writeLock());
  });
};

async function mustBeRefused({ journal }: Desk, lock: RLock): Promise<void> {
  try {
    await lock.acquire({ waitMs });
    journal.strange('a reader was let in to write');
  } catch (error) {
    // A read hold that is lost meanwhile is no reason to refuse, but one to tell.
    const isTold = error instanceof LockUpgradeError || journal.isLoss(error);
    if (!isTold) journal.strange(`a reader asked to write: ${String(error)}`);
  }
}

/** Writes, sometimes with a look or another write inside. */
const writing: Pattern = async (desk) => {
  const { client, journal, random, locks } = desk;
  const lock = client.getReadWriteLock(random.pick(locks.shared));
  const circumstances = thread(desk, 'writing');
  await journal.section(lock.writeLock(), circumstances, { waitMs }, async (open) => {
    if (random.next() < 0.3) journal.listen(open);
    await shortWork(desk, open);
    const inner = { ...circumstances, depth: 2 };
    const dice = random.next();
    if (dice < 0.15) {
      const reads = new Set([lock.name]);
      await journal.section(lock.readLock(), { ...inner, reads }, { waitMs }, (level) => look(desk, level));
    } else if (dice < 0.3) {
      await journal.section(lock.writeLock(), inner, { waitMs }, (level) => shortWork(desk, level));
    }
  });
};

/** Writes, goes on reading inside, and gives the writing back first: other readers come in, writers do not. */
const downgrading: Pattern = async (desk) => {
  const { client, journal, random, locks } = desk;
  const lock = client.getReadWriteLock(random.pick(locks.shared));
  const circumstances = thread(desk, 'downgrading');
  const written = await journal.acquire(
    lock.writeLock(),
    circumstances,
    (options) => lock.writeLock().acquire(options),
    { waitMs },
  );
  if (written === undefined) return;
  let read: Open | undefined;
  try {
    const inner = { ...circumstances, depth: 2, reads: new Set([lock.name]) };
    read = await written.hold.run(() =>
      journal.acquire(lock.readLock(), inner, (options) => lock.readLock().acquire(options), { waitMs }),
    );
    if (read !== undefined) journal.listen(read);
  } catch (error) {
    if (!journal.isLoss(error)) journal.strange(`a hold that was had would run nothing: ${String(error)}`);
  }
  await journal.release(written);
  if (read === undefined) return;
  await look(desk, read);
  await journal.release(read);
};

/** Many readers of one client at once, with a writer among them now and then. */
const audience: Pattern = async (desk) => {
  const { client, journal, random, locks } = desk;
  const lock = client.getReadWriteLock(random.pick(locks.shared));
  const reads = new Set([lock.name]);
  const readers = Array.from({ length: random.below(12) + 4 }, () =>
    journal.section(lock.readLock(), { ...thread(desk, 'audience'), reads }, { waitMs }, (open) => look(desk, open)),
  );
  const writers =
    random.next() < 0.3
      ? [journal.section(lock.writeLock(), thread(desk, 'audience'), { waitMs }, (open) => shortWork(desk, open))]
      : [];
  await Promise.all([...readers, ...writers]);
};

/** One side held across several renewals, and asked how it is all the time. */
export const longShared: Pattern = async (desk) => {
  const { client, journal, random, locks, times } = desk;
  const lock = client.getReadWriteLock(random.pick(locks.shared.slice(0, LONG)));
  const isReading = random.next() < 0.8;
  const side = isReading ? lock.readLock() : lock.writeLock();
  const circumstances = { ...thread(desk, 'shared'), ...(isReading ? { reads: new Set([lock.name]) } : {}) };
  const open = await journal.acquire(side, circumstances, (options) => side.acquire(options), { waitMs });
  if (open === undefined) return;
  journal.listen(open);
  const endsAt = performance.now() + random.next() * (isReading ? 1.5 : 0.5) * times.watchdogTimeoutMs;
  while (journal.work(open) && performance.now() < endsAt && !desk.stopping()) await pause(random.below(60) + 5);
  if (!isReading) await journal.store(open);
  await journal.release(open);
};

/** Two to four locks together, of several kinds: all of them or none. */
const several: Pattern = async (desk) => {
  const { client, journal, random, locks } = desk;
  const names = random.shuffled([...locks.calm.slice(0, 12), ...locks.hot]).slice(0, random.below(3) + 2);
  const members: (RLock | string)[] = names.map((name) => (random.next() < 0.3 ? client.getFencedLock(name) : name));
  const reads = new Set<string>();
  if (random.next() < 0.3) {
    const shared = client.getReadWriteLock(random.pick(locks.shared));
    members.push(shared.readLock());
    reads.add(shared.name);
  }
  const lock = client.getMultiLock(members);
  const options = { waitMs: random.below(waitMs) + 50 };
  const open = await journal.acquire(
    lock,
    { ...thread(desk, 'several'), reads },
    (given) => lock.acquire(given),
    options,
  );
  if (open === undefined) return;
  if (random.next() < 0.3) journal.listen(open);
  // What is only read is not written to.
  if (reads.size === 0) await shortWork(desk, open);
  else await look(desk, open);
  await journal.release(open);
};

/** A fenced lock, whose holder writes through its guard as well. */
const fenced: Pattern = async (desk) => {
  const { client, journal, random, locks } = desk;
  const lock = client.getFencedLock(random.pick(random.next() < 0.5 ? locks.hot : locks.calm));
  const circumstances = thread(desk, 'fenced');
  const open = await journal.acquire(lock, circumstances, (options) => lock.acquire(options), { waitMs });
  if (open === undefined) return;
  if (random.next() < 0.5) await journal.storeFenced(open);
  if (random.next() < 0.3) {
    try {
      await open.hold.run(() =>
        journal.section(lock, { ...circumstances, depth: 2 }, { waitMs }, (inner) => shortWork(desk, inner)),
      );
    } catch (error) {
      if (!journal.isLoss(error)) journal.strange(`inside a fenced hold: ${String(error)}`);
    }
  }
  await shortWork(desk, open);
  await journal.release(open);
};

/** Given back quickly, and to stay taken for longer. */
const resting: Pattern = async (desk) => {
  const { client, journal, random, locks } = desk;
  const lock = client.getLock(random.pick(locks.calm));
  const options = { waitMs, minHoldMs: random.below(250) + 20 };
  const open = await journal.acquire(lock, thread(desk, 'resting'), (given) => lock.acquire(given), options);
  if (open === undefined) return;
  await shortWork(desk, open);
  await journal.release(open);
};

/** In strict order of arrival. */
const fair: Pattern = async (desk) => {
  const { client, journal, random, locks } = desk;
  const lock = client.getFairLock(random.pick(locks.fair));
  const open = await journal.acquire(lock, thread(desk, 'fair'), (options) => lock.acquire(options), { waitMs });
  if (open === undefined) return;
  await shortWork(desk, open);
  await journal.release(open);
};

/** By how often they come, beside those of the plain lock. */
export const family: readonly (readonly [number, Pattern])[] = [
  [8, reading],
  [4, writing],
  [2, downgrading],
  [3, audience],
  [4, several],
  [6, fenced],
  [2, resting],
  [5, fair],
  [3, leading],
  [2, leadingInside],
  [1, givenUpCampaign],
  [4, sharing],
  [1, stampede],
];
