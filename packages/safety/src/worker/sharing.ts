/** Rounds with shared values: to have one, and to compute it when nobody has. */
import { setTimeout as pause } from 'node:timers/promises';
import type { Hold } from 'holdfast';
import { nowMicros } from '../history/clock.js';
import { type FamilyDesk, longestWaitMs, thread } from './desk.js';
import type { Held, Open } from './journal.js';

/** Who computes has the lock until its computation has ended, and gives nothing back by itself. */
const computing = (hold: Hold): Held => ({
  signal: hold.signal,
  get state() {
    return hold.state;
  },
  remainingMs: () => hold.remainingMs(),
  release: () => Promise.resolve(),
});

async function compute({ journal, random }: FamilyDesk, open: Open<Held>): Promise<void> {
  journal.listen(open);
  const endsAt = performance.now() + random.below(10);
  while (journal.work(open) && performance.now() < endsAt) await pause(random.below(4));
  await journal.release(open);
}

/** Has a value that others may have computed. */
export async function sharing(desk: FamilyDesk): Promise<void> {
  const { client, journal, random, locks } = desk;
  const name = random.pick(locks.shares);
  // It takes the lock before it looks for a value, and only then computes.
  const circumstances = { ...thread(desk, 'computing'), since: nowMicros() };
  const value = `${desk.task}/${circumstances.scope}`;
  await journal.had(name, () =>
    client.share(name, {
      ttlMs: random.pick([1, 20, 300]),
      waitMs: longestWaitMs,
      fn: async (hold) => {
        const open = await journal.acquire({ name }, circumstances, () => Promise.resolve(computing(hold)));
        if (open !== undefined) await compute(desk, open);
        return journal.computed(name, value);
      },
    }),
  );
}

/** Several calls of one task at once, which may want the same value. */
export async function stampede(desk: FamilyDesk): Promise<void> {
  await Promise.all(Array.from({ length: desk.random.below(12) + 2 }, () => sharing(desk)));
}
