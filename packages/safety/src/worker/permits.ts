/** Rounds with semaphores: one permit or several, tried for, given up, with leases shorter than the work, held for long. */
import { setTimeout as pause } from 'node:timers/promises';
import type { PermitHold, RSemaphore } from 'holdfast';
import { type FamilyDesk, longestWaitMs, thread } from './desk.js';
import { type Circumstances, GIVEN_UP, type Held, type Open } from './journal.js';
import { permitsIn } from './plan.js';

type Pattern = (desk: FamilyDesk) => Promise<void>;

const waitMs = longestWaitMs;

/** What a round asks for. */
interface Wish {
  readonly semaphore: RSemaphore;
  readonly wanted: number;
  readonly circumstances: Circumstances;
}

function wishOf(desk: FamilyDesk, mode: string): Wish {
  const { client, random, locks } = desk;
  const pool = random.pick(locks.pools);
  const inAll = permitsIn(locks, pool);
  const wanted = random.next() < 0.7 ? 1 : random.below(inAll) + 1;
  const semaphore = client.getSemaphore(pool, { permits: inAll });
  return { semaphore, wanted, circumstances: { ...thread(desk, mode), permits: { wanted, inAll } } };
}

/** Keeps what was had for a moment, asking how it is. */
async function keep(desk: FamilyDesk, open: Open<Held> | undefined, forMs: number): Promise<void> {
  if (open === undefined) return;
  const { journal, random } = desk;
  if (random.next() < 0.3) journal.listen(open);
  const endsAt = performance.now() + forMs;
  while (journal.work(open) && performance.now() < endsAt && !desk.stopping()) await pause(random.below(5) + 1);
  await journal.release(open);
}

const ask = (
  desk: FamilyDesk,
  { semaphore, circumstances }: Wish,
  how: () => Promise<PermitHold | null>,
  options: { waitMs?: number; leaseMs?: number } = {},
) => desk.journal.acquire<PermitHold>(semaphore, circumstances, how, options);

const waited: Pattern = async (desk) => {
  const wish = wishOf(desk, 'permits');
  const got = await ask(desk, wish, () => wish.semaphore.acquire(wish.wanted, { waitMs }), { waitMs });
  await keep(desk, got, desk.random.below(3));
};

const tried: Pattern = async (desk) => {
  const wish = wishOf(desk, 'permits');
  const shortMs = desk.random.pick([0, 20, 200]);
  const got = await ask(desk, wish, () => wish.semaphore.tryAcquire(wish.wanted, shortMs), { waitMs: shortMs });
  if (got === undefined) await pause(desk.random.below(10) + 1);
  await keep(desk, got, desk.random.below(3));
};

const givenUp: Pattern = async (desk) => {
  const wish = wishOf(desk, 'permits');
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(GIVEN_UP), desk.random.below(40));
  const { signal } = controller;
  const got = await ask(desk, wish, () => wish.semaphore.acquire(wish.wanted, { waitMs, signal }));
  clearTimeout(timer);
  await keep(desk, got, desk.random.below(3));
};

/** A lease that is not renewed, often shorter than the work: then the loss has to be told. */
const fixed: Pattern = async (desk) => {
  const wish = wishOf(desk, 'permits');
  const options = { waitMs, leaseMs: desk.random.below(300) + 150 };
  const got = await ask(desk, wish, () => wish.semaphore.acquire(wish.wanted, options), options);
  await keep(desk, got, desk.random.next() * 1.5 * options.leaseMs);
};

const crowd: Pattern = async (desk) => {
  await Promise.all(Array.from({ length: desk.random.below(12) + 4 }, () => waited(desk)));
};

/** Held across several renewals. */
export const longPermits: Pattern = async (desk) => {
  const wish = wishOf(desk, 'permits');
  const got = await ask(desk, wish, () => wish.semaphore.acquire(wish.wanted, { waitMs }), { waitMs });
  await keep(desk, got, desk.random.next() * 1.5 * desk.times.watchdogTimeoutMs);
};

/** All permits of one of the semaphores at once. */
export function allPermits({ client, locks }: FamilyDesk, index: number, forMs: number) {
  const pool = locks.pools[index % locks.pools.length] ?? '';
  const inAll = permitsIn(locks, pool);
  const semaphore = client.getSemaphore(pool, { permits: inAll });
  return {
    lock: semaphore,
    permits: { wanted: inAll, inAll },
    ask: () => semaphore.acquire(inAll, { waitMs: forMs }),
  };
}

/** By how often they come. */
export const permits: readonly (readonly [number, Pattern])[] = [
  [30, waited],
  [10, tried],
  [6, givenUp],
  [4, fixed],
  [6, crowd],
];
