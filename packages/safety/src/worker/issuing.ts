/** Rounds with permits that have ids: the server ends their leases, and nobody but their holder counts the time. */
import { setTimeout as pause } from 'node:timers/promises';
import { LockNotHeldError, type RPermitExpirableSemaphore } from 'holdfast';
import { type FamilyDesk, longestWaitMs, thread } from './desk.js';
import { GIVEN_UP, type Held, type Journal } from './journal.js';
import { permitsIn } from './plan.js';

type Pattern = (desk: FamilyDesk) => Promise<void>;

/** Of the lease, and beside it in milliseconds: clocks differ, and the server's has whole milliseconds. */
const DRIFT = 0.01;
const DRIFT_MS = 2;

/** A semaphore, and how many permits of it are wanted. */
interface Wish {
  readonly semaphore: RPermitExpirableSemaphore;
  readonly wanted: number;
  readonly inAll: number;
}

/**
 * Permits by their ids. They are had until their lease may be over, counted from before they were asked for, or until they are given back. What the server
 * has to keep until then and does not is told as strange.
 */
class Issued implements Held {
  readonly ids: readonly string[];
  /** Nobody is told of the end of such a lease. */
  readonly signal = new AbortController().signal;
  readonly #semaphore: RPermitExpirableSemaphore;
  readonly #journal: Journal;
  #endsAt: number;

  constructor({ journal }: FamilyDesk, { semaphore }: Wish, ids: readonly string[], endsAt: number) {
    this.#journal = journal;
    this.#semaphore = semaphore;
    this.ids = ids;
    this.#endsAt = endsAt;
  }

  get state(): 'held' | 'lost' {
    return this.remainingMs() > 0 ? 'held' : 'lost';
  }

  remainingMs(): number {
    return Math.max(0, this.#endsAt - performance.now());
  }

  /** From now on the permits may be over when a lease that is set now is: nobody knows yet whether it will be. */
  expect(leaseMs: number): void {
    this.#endsAt = Math.min(this.#endsAt, endOf(leaseMs));
  }

  /** Has the lease of each permit begin anew, after {@link expect}. */
  async relet(leaseMs: number): Promise<void> {
    const endsAt = endOf(leaseMs);
    for (const id of this.ids) {
      if (!(await this.#semaphore.updateLeaseTime(id, leaseMs))) return this.#expectOver();
    }
    this.#endsAt = endsAt;
  }

  async release(): Promise<void> {
    try {
      await this.#semaphore.release(this.ids);
    } catch (error) {
      if (!(error instanceof LockNotHeldError)) throw error;
      this.#expectOver();
    }
  }

  #expectOver(): void {
    if (this.remainingMs() > 0) this.#journal.strange(`ids are unknown before their lease is over: ${this.ids.join()}`);
  }
}

/** When a lease that the server begins from now on may be over. */
const endOf = (leaseMs: number): number => performance.now() + leaseMs * (1 - DRIFT) - DRIFT_MS;

function wishOf({ client, random, locks }: FamilyDesk): Wish {
  const pool = random.pick(locks.pools);
  const inAll = permitsIn(locks, pool);
  const wanted = random.next() < 0.7 ? 1 : random.below(inAll) + 1;
  return { semaphore: client.getPermitExpirableSemaphore(pool, { permits: inAll }), wanted, inAll };
}

/** Asks for permits with ids by `ask`, which answers undefined when there are none. */
async function issue(
  desk: FamilyDesk,
  wish: Wish,
  { waitMs, leaseMs }: { readonly waitMs: number; readonly leaseMs: number },
  ask: () => Promise<readonly string[] | undefined>,
): Promise<void> {
  const { journal, random } = desk;
  const circumstances = { ...thread(desk, 'ids'), permits: { wanted: wish.wanted, inAll: wish.inAll } };
  const endsAt = endOf(leaseMs);
  const open = await journal.acquire(
    wish.semaphore,
    circumstances,
    async () => {
      const ids = await ask();
      return ids === undefined ? null : new Issued(desk, wish, ids, endsAt);
    },
    { waitMs },
  );
  if (open === undefined) return;
  const untilMs = performance.now() + random.below(4);
  while (journal.work(open) && performance.now() < untilMs && !desk.stopping()) await pause(random.below(3) + 1);
  if (random.next() < 0.15) {
    const newLeaseMs = random.below(800) + 150;
    open.hold.expect(newLeaseMs);
    // Written down before anything is sent: this process may be stopped right behind that.
    journal.work(open);
    await open.hold.relet(newLeaseMs).catch((error: unknown) => journal.fails('a lease', error));
    journal.work(open);
    await pause(random.below(300));
    journal.work(open);
  }
  // Now and then they are left to the end of their lease.
  if (random.next() < 0.9) await journal.release(open);
}

const waited: Pattern = async (desk) => {
  const wish = wishOf(desk);
  const times = { waitMs: longestWaitMs, leaseMs: desk.random.below(2 * longestWaitMs) + 500 };
  const { semaphore, wanted } = wish;
  await issue(desk, wish, times, () => semaphore.acquireMany(wanted, times.leaseMs, { waitMs: times.waitMs }));
};

const tried: Pattern = async (desk) => {
  const wish = wishOf(desk);
  const times = { waitMs: desk.random.pick([0, 20, 200]), leaseMs: desk.random.below(1_500) + 250 };
  const { semaphore, wanted } = wish;
  await issue(desk, wish, times, async () => {
    const ids = await semaphore.tryAcquireMany(wanted, times.waitMs, times.leaseMs);
    return ids.length === 0 ? undefined : ids;
  });
};

const givenUp: Pattern = async (desk) => {
  const wish = wishOf(desk);
  const times = { waitMs: longestWaitMs, leaseMs: 2_000 };
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(GIVEN_UP), desk.random.below(40));
  const options = { waitMs: times.waitMs, signal: controller.signal };
  await issue(desk, wish, times, () => wish.semaphore.acquireMany(wish.wanted, times.leaseMs, options));
  clearTimeout(timer);
};

/** By how often they come. */
export const issuing: readonly (readonly [number, Pattern])[] = [
  [14, waited],
  [6, tried],
  [3, givenUp],
];
