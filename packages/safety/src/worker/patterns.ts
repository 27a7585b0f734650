/** What tasks do with locks. Each pattern is one round of one task; which comes next is drawn from the task's random stream. */
import { setTimeout as pause } from 'node:timers/promises';
import type { RLock } from 'holdfast';
import { type Desk, type FamilyDesk, longestWaitMs, type Pattern, shortWork, thread } from './desk.js';
import { family, longShared } from './family.js';
import { heldBy, longTerm } from './leading.js';
import { issuing } from './issuing.js';
import { latches, openLatch } from './latches.js';
import { allPermits, longPermits, permits } from './permits.js';
import { type Circumstances, GIVEN_UP, type Held, type Open } from './journal.js';

/** The lock of a name, now and then as another kind of lock: those of one name exclude each other. */
function lockOf({ lock, family: client, random }: Desk, name: string): RLock {
  const dice = random.next();
  if (client === undefined || dice >= 0.15) return lock(name);
  return dice < 0.1 ? client.getFencedLock(name) : client.getSpinLock(name);
}

/** Take it, work, give it back. */
const mutex: Pattern = async (desk) => {
  const { journal, random, locks } = desk;
  const lock = lockOf(desk, random.pick(random.next() < 0.15 ? locks.hot : locks.calm));
  const waitMs = random.below(longestWaitMs) + 200;
  const open = await journal.acquire(lock, thread(desk, 'mutex'), (options) => lock.acquire(options), { waitMs });
  if (open === undefined) return;
  if (random.next() < 0.3) journal.listen(open);
  await shortWork(desk, open);
  await journal.release(open);
};

/** One to four levels, each inside the one before; some of fixed leases, with watched ones above or below. */
const nested: Pattern = async (desk) => {
  const { journal, random, locks } = desk;
  const shareOfFixed = random.next() < 0.3 ? 0.4 : 0;
  const lock = lockOf(desk, random.pick(random.next() < 0.2 ? locks.hot : locks.calm));
  const { mode, scope } = thread(desk, 'nested');
  const deepest = random.below(4) + 1;
  const descend = async (depth: number): Promise<void> => {
    const waitMs = random.below(longestWaitMs) + 200;
    const options = random.next() < shareOfFixed ? { waitMs, leaseMs: random.below(300) + 100 } : { waitMs };
    await journal.section(lock, { mode, scope, depth }, options, async (open) => {
      await shortWork(desk, open);
      if (depth < deepest) await descend(depth + 1);
    });
  };
  await descend(1);
};

/** Branches below a parent that holds the lock: each re-enters, and they exclude each other. */
const branches: Pattern = async (desk) => {
  const { journal, random, locks } = desk;
  const lock = lockOf(desk, random.pick(locks.calm));
  const options = { waitMs: longestWaitMs };
  await journal.section(lock, thread(desk, 'parent'), options, async ({ levels }) => {
    await Promise.all(
      Array.from({ length: random.below(3) + 2 }, async () => {
        const branch = { mode: 'branch', scope: journal.freshScope(), depth: 2, inside: levels[0]?.hold ?? 0 };
        await journal.section(lock, branch, options, (open) => shortWork(desk, open));
      }),
    );
  });
};

/** No wait, or hardly any. */
const hasty: Pattern = async (desk) => {
  const { journal, random, locks } = desk;
  const lock = lockOf(desk, random.pick(random.next() < 0.7 ? locks.hot : locks.slow));
  const waitMs = random.next() < 0.5 ? 0 : random.below(60);
  const open = await journal.acquire(lock, thread(desk, 'hasty'), (options) => lock.tryAcquire(options), { waitMs });
  if (open === undefined) {
    await pause(random.below(10) + 1);
    return;
  }
  await shortWork(desk, open);
  await journal.release(open);
};

/** Gives up by its signal, most often while it waits. */
const givenUp: Pattern = async (desk) => {
  const { journal, random, locks } = desk;
  const lock = desk.lock(random.pick(random.next() < 0.7 ? locks.hot : locks.slow));
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(GIVEN_UP), random.below(40));
  const { signal } = controller;
  const open = await journal.acquire(lock, thread(desk, 'given up'), () =>
    lock.acquire({ waitMs: longestWaitMs, signal }),
  );
  clearTimeout(timer);
  if (open === undefined) return;
  await shortWork(desk, open);
  await journal.release(open);
};

/** Many calls of one client on one lock at once: passed on in memory. */
const crowd: Pattern = async (desk) => {
  const { journal, random, locks } = desk;
  const lock = lockOf(desk, random.pick(random.next() < 0.1 ? locks.hot : locks.calm));
  const size = random.below(50) + 10;
  await Promise.all(
    Array.from({ length: size }, async () => {
      await journal.section(lock, thread(desk, 'crowd'), { waitMs: longestWaitMs }, (open) => shortWork(desk, open));
    }),
  );
};

/** Held across several renewals, and asked how it is all the time. */
const long: Pattern = async (desk) => {
  const { journal, random, locks, times } = desk;
  const lock = desk.lock(random.pick(locks.slow));
  const open = await journal.acquire(lock, thread(desk, 'long'), (options) => lock.acquire(options), {
    waitMs: longestWaitMs,
  });
  if (open === undefined) return;
  journal.listen(open);
  const endsAt = performance.now() + random.next() * 2.5 * times.watchdogTimeoutMs;
  while (journal.work(open) && performance.now() < endsAt && !desk.stopping()) {
    await pause(random.below(60) + 5);
    if (random.next() < 0.2) await journal.store(open);
  }
  await journal.release(open);
};

/** A fixed lease, often shorter than the work: then the loss has to be told. */
const fixed: Pattern = async (desk) => {
  const { journal, random, locks } = desk;
  const lock = desk.lock(random.pick(locks.slow));
  const leaseMs = random.below(300) + 150;
  const open = await journal.acquire(lock, thread(desk, 'fixed'), (options) => lock.acquire(options), {
    waitMs: longestWaitMs,
    leaseMs,
  });
  if (open === undefined) return;
  journal.listen(open);
  await pause(random.next() * 1.5 * leaseMs);
  await journal.store(open);
  await journal.release(open);
};

/** An owner by name instead of by scope. */
const byName: Pattern = async (desk) => {
  const { journal, random, locks, task } = desk;
  const lock = desk.lock(random.pick(locks.hot), { owner: task });
  const { mode, scope } = thread(desk, 'by name');
  const levels: Open[] = [];
  const deepest = random.below(3) + 1;
  for (let depth = 1; depth <= deepest; depth++) {
    const options = { waitMs: longestWaitMs };
    const open = await journal.acquire(lock, { mode, scope, depth }, (given) => lock.acquire(given), options);
    // A level that was lost is not re-entered: for an owner by name the next call would be a fresh acquisition.
    if (open === undefined) break;
    levels.push(open);
    await shortWork(desk, open);
    if (open.hold.state === 'lost') break;
  }
  for (const open of levels.toReversed()) await journal.release(open);
};

type Shares = readonly (readonly [number, Pattern])[];

/** Patterns by how often they come. What takes long has a task of its own in each client, or the others would hardly have a turn. */
const quick: Shares = [
  [40, mutex],
  [14, nested],
  [6, branches],
  [8, hasty],
  [4, givenUp],
  [24, crowd],
  [6, byName],
];
const slow: Shares = [
  [5, long],
  [3, fixed],
  [2, givenUp],
];
const longFamily = [
  [5, longShared],
  [2, longTerm],
] as const;
const longPools = [[5, longPermits]] as const;

/** The rounds of this desk, by how often they come. */
function sharesOf(desk: Desk): Shares {
  const { pace, workload, family: client } = desk;
  const own = pace === 'quick' ? quick : slow;
  if (client === undefined) return own;
  const on = (shares: readonly (readonly [number, (desk: FamilyDesk) => Promise<void>])[]): Shares =>
    shares.map(([share, pattern]) => [share / 2, () => pattern({ ...desk, client })]);
  if (workload === 'permits') return on(pace === 'quick' ? [...permits, ...issuing, ...latches] : longPools);
  const others = on(pace === 'quick' ? family : longFamily);
  return workload === 'family' ? others : [...own, ...others];
}

/** One round. */
export async function round(desk: Desk): Promise<void> {
  const shares = sharesOf(desk);
  let dice = desk.random.next() * shares.reduce((sum, [share]) => sum + share, 0);
  for (const [share, pattern] of shares) {
    dice -= share;
    if (dice < 0) return pattern(desk);
  }
}

/** What a task wants in its last turn, and how it asks for that. */
export interface LastTurn extends Pick<Circumstances, 'reads' | 'permits'> {
  readonly lock: { readonly name: string };
  readonly ask: () => Promise<Held | null>;
}

/** After so many tasks of the family the kinds of last turns begin anew. */
const KINDS = 6;

/** The last turn of the task with this number among all tasks of all workers, which waits for so long: all kinds of those that everybody wants come up. */
export function lastTurnOf(desk: Desk, index: number, waitMs: number): LastTurn {
  const { lock, family: client, locks, workload } = desk;
  const of = (names: readonly string[]) => names[Math.trunc(index / KINDS) % names.length] ?? 'hot';
  const turnOn = (wanted: RLock, reads = new Set<string>()): LastTurn => ({
    ...{ lock: wanted, reads },
    ask: () => wanted.acquire({ waitMs }),
  });
  if (client === undefined) return turnOn(lock(of(locks.hot)));
  if (workload === 'permits') return allPermits({ ...desk, client }, index, waitMs);
  const shared = client.getReadWriteLock(of(locks.shared));
  switch (index % KINDS) {
    case 0:
      return turnOn(shared.readLock(), new Set([shared.name]));
    case 1:
      return turnOn(shared.writeLock());
    case 2:
      return turnOn(client.getFairLock(of(locks.fair)));
    case 3: {
      const election = client.election(of(locks.elections));
      return { lock: election, ask: async () => heldBy(await election.campaign({ waitMs })) };
    }
    default:
      return turnOn(lock(of(locks.hot)));
  }
}

/** Opens a latch, where there are any, as the last deed of the task with this number. Answers the name of one that did not open in time. */
export async function lastLatchOf(desk: Desk, index: number, waitMs: number): Promise<string | undefined> {
  const { family: client, workload } = desk;
  return client === undefined || workload !== 'permits' ? undefined : openLatch({ ...desk, client }, index, waitMs);
}
