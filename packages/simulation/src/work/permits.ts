/** What tasks do with semaphores. */

import type { PermitHold, RSemaphore } from 'holdfast';
import type { PermitJudge } from '../judges/permits.js';
import type { OtherPlan } from '../plan/scenario.js';
import type { Desk } from './desk.js';
import { givenUpAfter } from './giving-up.js';
import { settledAll } from './settled-all.js';
import { LONGEST_FIXED_LEASE_MS, work, workMs } from './working.js';

/** How often each is drawn. */
const shares = { section: 8, object: 4, tried: 4, fixedLease: 3, givenUp: 3, crowd: 2, longHold: 1, told: 1 };

type Pool = Extract<OtherPlan, { readonly permits: number }>;

/** A semaphore at work: its plan, its handle, and who judges it. */
interface Place {
  readonly desk: Desk;
  readonly pool: Pool;
  readonly semaphore: RSemaphore;
  readonly judge: PermitJudge;
}

/** One thing that a task does with a semaphore. */
export async function permitStep(desk: Desk, pool: Pool): Promise<void> {
  for (const place of placesOf(desk, pool)) await patterns[desk.chance.weighed(shares)](place);
}

/** It comes to its turn also with all permits at once. */
export async function lastPermits(desk: Desk, pool: Pool): Promise<void> {
  for (const place of placesOf(desk, pool)) await section(place, pool.permits, 0);
}

function placesOf(desk: Desk, pool: Pool): Place[] {
  const semaphore = desk.client.getSemaphore(pool.name, { permits: pool.permits });
  const judges = desk.judges.permits.filter(({ name }) => name === pool.name);
  return judges.map((judge) => ({ desk, pool, semaphore, judge }));
}

const patterns: Readonly<Record<keyof typeof shares, (place: Place) => Promise<void>>> = {
  section: (place) => section(place, some(place), workMs(place.desk)),
  object: (place) => taken(place, (permits) => place.semaphore.acquire(permits)),
  tried: (place) => {
    const waitMs = place.desk.chance.pick([0, 10, 300]);
    return taken(place, (permits) => place.semaphore.tryAcquire(permits, waitMs));
  },
  fixedLease: (place) => {
    const { desk, semaphore } = place;
    // In peace longer than all work.
    const leaseMs = Math.round(
      desk.computes ? desk.chance.mostlySmall(100, LONGEST_FIXED_LEASE_MS) : LONGEST_FIXED_LEASE_MS,
    );
    return taken(place, (permits) => semaphore.acquire(permits, { leaseMs }));
  },
  givenUp: (place) => {
    const { desk, semaphore } = place;
    return taken(place, async (permits) => {
      const hold = await givenUpAfter(desk, desk.chance.below(40), (signal) => semaphore.acquire(permits, { signal }));
      return hold ?? null;
    });
  },
  crowd: async (place) => {
    await settledAll(Array.from({ length: place.desk.chance.whole(3, 20) }, () => section(place, some(place), 0)));
  },
  longHold: (place) => section(place, 1, place.desk.chance.between(0.5, 2.5) * place.desk.leaseMs),
  told: async ({ desk, pool, semaphore, judge }) => {
    const asked = semaphore.availablePermits();
    const free = await desk.witness.pending(desk, `availablePermits ${pool.name}`, asked);
    judge.told(desk.process.time, free);
  },
};

/** Mostly one. */
const some = ({ desk: { chance }, pool: { permits } }: Place) => (chance.happens(0.7) ? 1 : chance.whole(1, permits));

async function section({ desk, pool, semaphore, judge }: Place, permits: number, forMs: number): Promise<void> {
  const wait = judge.waits(desk.process, permits);
  const call = semaphore.withPermits({ permits }, async (hold) => {
    const entry = wait.had(hold);
    desk.witness.hasOther(desk, pool.name);
    try {
      await work(desk, hold, forMs);
    } finally {
      judge.gives(entry, 0);
    }
  });
  await desk.witness.pending(desk, `withPermits ${permits} of ${pool.name}`, call).finally(() => wait.settled());
}

/** Takes some, works, may give some of them back before the rest. */
async function taken(place: Place, take: (permits: number) => Promise<PermitHold | null>): Promise<void> {
  const { desk, pool, judge } = place;
  const permits = some(place);
  const wait = judge.waits(desk.process, permits);
  const asked = take(permits);
  const hold = await desk.witness
    .pending(desk, `acquire ${permits} of ${pool.name}`, asked)
    .then((got) => got && { got, entry: wait.had(got) })
    .finally(() => wait.settled());
  if (hold === null) return;
  const { got, entry } = hold;
  desk.witness.hasOther(desk, pool.name);
  await work(desk, got, workMs(desk));
  if (permits > 1 && desk.chance.happens(0.5)) {
    judge.gives(entry, permits - 1);
    await desk.witness.pending(desk, `release 1 of ${pool.name}`, got.release(1)).catch((error: unknown) => {
      desk.witness.failed(desk, pool.name, error, 'shrink');
    });
    await work(desk, got, workMs(desk));
  }
  judge.gives(entry, 0);
  await desk.witness.pending(desk, `release ${pool.name}`, got.release());
}
