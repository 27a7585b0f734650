/** What tasks do with permits that have ids, beside those that hold permits of the same semaphore. */

import { LockNotHeldError, type RPermitExpirableSemaphore } from 'holdfast';
import type { OpenPermits, PermitJudge } from '../judges/permits.js';
import type { OtherPlan } from '../plan/scenario.js';
import type { WorldProcess } from '../world/process.js';
import type { Desk } from './desk.js';
import { givenUpAfter } from './giving-up.js';
import { lastPermits, permitStep } from './permits.js';
import { LONGEST_FIXED_LEASE_MS, work, workMs } from './working.js';

/** How often each is drawn. */
const shares = { waited: 8, tried: 4, givenUp: 3, relet: 3, adopted: 4, left: 2, held: 5 };

type Pool = Extract<OtherPlan, { readonly permits: number }>;

/** Of a lease by the clock of the server, on the clock of its holder, and beside it in milliseconds. */
const DRIFT = 0.02;
const DRIFT_MS = 2;

/** Permits by their ids. Nobody is told when their leases end, so their holder counts the time, from before it asks. */
class Issued {
  readonly #process: WorldProcess;
  #ids: readonly string[] = [];
  #endsAt: number;

  constructor(process: WorldProcess, leaseMs: number) {
    this.#process = process;
    this.#endsAt = this.#endOf(leaseMs);
  }

  get ids(): readonly string[] {
    return this.#ids;
  }

  get permits(): number {
    return this.#ids.length;
  }

  had(ids: readonly string[]): this {
    this.#ids = ids;
    return this;
  }

  /** Gives away the first of them. */
  shift(): string | undefined {
    const [first] = this.#ids;
    this.#ids = this.#ids.slice(1);
    return first;
  }

  remainingMs(): number {
    return this.#endsAt - this.#process.clock.now();
  }

  /** The leases begin anew, or nobody knows whether they do: until `known`, the sooner end counts. */
  relet(leaseMs: number): { known(): void } {
    const endsAt = this.#endOf(leaseMs);
    this.#endsAt = Math.min(this.#endsAt, endsAt);
    return { known: () => (this.#endsAt = endsAt) };
  }

  #endOf(leaseMs: number): number {
    return this.#process.clock.now() + leaseMs * (1 - DRIFT) - DRIFT_MS;
  }
}

interface Place {
  readonly desk: Desk;
  readonly pool: Pool;
  readonly semaphore: RPermitExpirableSemaphore;
  readonly judge: PermitJudge;
}

/** One thing that a task does with such a semaphore. */
export async function idStep(desk: Desk, pool: Pool): Promise<void> {
  for (const place of placesOf(desk, pool)) await patterns[desk.chance.weighed(shares)](place);
}

/** It comes to its turn with all permits at once, with ids and without. */
export async function lastIds(desk: Desk, pool: Pool): Promise<void> {
  for (const place of placesOf(desk, pool))
    await issue(place, pool.permits, { leaseMs: LONGEST_FIXED_LEASE_MS }, () => Promise.resolve());
  await lastPermits(desk, pool);
}

function placesOf(desk: Desk, pool: Pool): Place[] {
  const semaphore = desk.client.getPermitExpirableSemaphore(pool.name, { permits: pool.permits });
  const judges = desk.judges.permits.filter(({ name }) => name === pool.name);
  return judges.map((judge) => ({ desk, pool, semaphore, judge }));
}

const some = ({ desk: { chance }, pool: { permits } }: Place) => (chance.happens(0.7) ? 1 : chance.whole(1, permits));

/** In peace longer than all work. */
const leaseOf = ({ desk }: Place) =>
  Math.round(desk.computes ? desk.chance.mostlySmall(100, LONGEST_FIXED_LEASE_MS) : LONGEST_FIXED_LEASE_MS);

const patterns: Readonly<Record<keyof typeof shares, (place: Place) => Promise<void>>> = {
  waited: (place) => issue(place, some(place), { leaseMs: leaseOf(place) }, (had) => worked(place, had)),
  tried: (place) => {
    const waitMs = place.desk.chance.pick([0, 10, 300]);
    return issue(place, some(place), { leaseMs: leaseOf(place), waitMs }, (had) => worked(place, had));
  },
  givenUp: (place) =>
    issue(place, some(place), { leaseMs: leaseOf(place), abortMs: place.desk.chance.below(40) }, (had) =>
      worked(place, had),
    ),
  relet: (place) =>
    issue(place, some(place), { leaseMs: LONGEST_FIXED_LEASE_MS }, async (had) => {
      await relet(place, had);
      await worked(place, had);
    }),
  adopted: (place) =>
    issue(place, some(place), { leaseMs: LONGEST_FIXED_LEASE_MS }, async (had) => {
      await place.desk.process.sleep(workMs(place.desk));
      await adopted(place, had);
    }),
  left: (place) =>
    place.desk.computes ? issue(place, 1, { leaseMs: 300 }, (had) => untilOver(place, had)) : givenBack(place),
  held: ({ desk, pool }) => permitStep(desk, pool),
};

const givenBack = (place: Place) => issue(place, 1, { leaseMs: LONGEST_FIXED_LEASE_MS }, () => Promise.resolve());

interface Had {
  readonly issued: Issued;
  readonly entry: OpenPermits;
}

/** Takes permits by ids, does `meanwhile`, and gives back what is left of them. */
async function issue(
  place: Place,
  permits: number,
  how: { readonly leaseMs: number; readonly waitMs?: number; readonly abortMs?: number },
  meanwhile: (had: Had) => Promise<void>,
): Promise<void> {
  const { desk, pool, judge } = place;
  const { process, witness } = desk;
  const wait = judge.waits(process, permits);
  const issued = new Issued(process, how.leaseMs);
  const asked = take(place, permits, how);
  const entry = await witness
    .pending(desk, `issue ${permits} of ${pool.name}`, asked)
    .then((ids) => {
      if (ids.length === 0) return undefined;
      judge.issued(process.time, ids);
      return wait.had(issued.had(ids));
    })
    .finally(() => wait.settled());
  if (entry === undefined) return;
  witness.hasOther(desk, pool.name);
  await meanwhile({ issued, entry });
  if (issued.permits === 0) return;
  judge.gives(entry, 0);
  const returned = place.semaphore.release(issued.ids);
  await witness.pending(desk, `release ids of ${pool.name}`, returned).catch((error: unknown) => {
    if (error instanceof LockNotHeldError && issued.remainingMs() > 0) judge.unknown(process.time, issued.ids);
    throw error;
  });
}

async function take(
  { desk, semaphore }: Place,
  permits: number,
  { leaseMs, waitMs, abortMs }: { readonly leaseMs: number; readonly waitMs?: number; readonly abortMs?: number },
): Promise<readonly string[]> {
  if (waitMs !== undefined) return semaphore.tryAcquireMany(permits, waitMs, leaseMs);
  if (abortMs === undefined) return semaphore.acquireMany(permits, leaseMs);
  return (await givenUpAfter(desk, abortMs, (signal) => semaphore.acquireMany(permits, leaseMs, { signal }))) ?? [];
}

/** Works, and may give one of them back before the others. */
async function worked(place: Place, { issued, entry }: Had): Promise<void> {
  const { desk, pool, judge, semaphore } = place;
  await desk.process.sleep(workMs(desk));
  if (issued.permits < 2 || !desk.chance.happens(0.5)) return;
  judge.gives(entry, issued.permits - 1);
  const first = issued.shift() ?? '';
  await desk.witness
    .pending(desk, `release an id of ${pool.name}`, semaphore.release(first))
    .catch((error: unknown) => {
      desk.witness.failed(desk, pool.name, error, 'shrink');
    });
  await desk.process.sleep(workMs(desk));
}

async function relet({ desk, pool, judge, semaphore }: Place, { issued }: Had): Promise<void> {
  const lease = issued.relet(LONGEST_FIXED_LEASE_MS);
  const answers = issued.ids.map((id) => semaphore.updateLeaseTime(id, LONGEST_FIXED_LEASE_MS));
  const were = await desk.witness.pending(desk, `lease of ids of ${pool.name}`, Promise.all(answers));
  if (were.every(Boolean)) lease.known();
  else if (issued.remainingMs() > 0) judge.unknown(desk.process.time, issued.ids);
}

/** Makes a hold of them, as another process would that was told the ids. */
async function adopted({ desk, pool, judge, semaphore }: Place, { issued, entry }: Had): Promise<void> {
  // From now on they may have the lease of that hold, whether its answer comes or not.
  issued.relet(desk.leaseMs);
  const call = semaphore.adopt(issued.ids);
  const hold = await desk.witness.pending(desk, `adopt ids of ${pool.name}`, call).catch((error: unknown) => {
    judge.gives(entry, 0);
    if (error instanceof LockNotHeldError && issued.remainingMs() > 0) judge.unknown(desk.process.time, issued.ids);
    throw error;
  });
  const own = judge.adopted(entry, hold);
  while (issued.permits > 0) issued.shift();
  await work(desk, hold, workMs(desk));
  judge.gives(own, 0);
  await desk.witness.pending(desk, `release ${pool.name}`, hold.release());
}

/** Leaves them to the end of their lease. */
async function untilOver({ desk, judge }: Place, { issued, entry }: Had): Promise<void> {
  await desk.process.sleep(Math.max(1, issued.remainingMs()));
  judge.gives(entry, 0);
  while (issued.permits > 0) issued.shift();
}
