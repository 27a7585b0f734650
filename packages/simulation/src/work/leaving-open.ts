/** What tasks do with a lock that runs leave open when they end: it is theirs up to then, and nobody gives it back. */

import type { OpenHold } from '../judges/exclusion.js';
import type { LeftPlan } from '../plan/scenario.js';
import { cancelled, goesOn } from './after-a-run.js';
import type { Desk } from './desk.js';
import { heard, leaveToLease, locked } from './left-open.js';
import { lockOf } from './lock-of.js';
import { type CallWatch, section, type Taking, tried } from './taking.js';
import { Told } from './told.js';
import { work, workMs } from './working.js';

/** How often each is drawn. */
const shares = { section: 10, tried: 3, left: 3, inner: 2, outlived: 2, cancelled: 4, goesOn: 3 };

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, plan: LeftPlan) => Promise<void>>> = {
  section: (desk, plan) => section(desk, taking(desk, plan), workMs(desk)),
  tried: (desk, plan) => tried(desk, taking(desk, plan), desk.chance.below(60), workMs(desk)),
  left,
  inner,
  outlived,
  cancelled,
  goesOn,
};

/** One thing that a task does with it. */
export function leftStep(desk: Desk, plan: LeftPlan): Promise<void> {
  return patterns[desk.chance.weighed(shares)](desk, plan);
}

/** It comes to have it: whatever was left open is over. */
export function lastLeft(desk: Desk, plan: LeftPlan): Promise<void> {
  return section(desk, taking(desk, plan), 0);
}

function taking(desk: Desk, { name }: LeftPlan): Taking {
  return { names: [name], handle: lockOf(desk, name), watch: () => watched(desk, name) };
}

function watched(desk: Desk, name: string): CallWatch {
  const wait = desk.witness.waits(desk, name);
  return { had: () => wait.had(), returned: () => undefined, settled: () => wait.settled() };
}

/** A run takes it, perhaps several times, and ends without having given back all. */
async function left(desk: Desk, plan: LeftPlan): Promise<void> {
  const told = new Told(desk, plan.name);
  const entries: OpenHold[] = [];
  try {
    await desk.client.run(() => leavingOpen(desk, plan, entries, told));
    await heard(desk, told, entries);
  } finally {
    told.stop();
  }
}

/** The same in a run within a run. What the inner one has left is in the way of the outer one too. */
async function inner(desk: Desk, plan: LeftPlan): Promise<void> {
  const told = new Told(desk, plan.name);
  const entries: OpenHold[] = [];
  try {
    await desk.client.run(async () => {
      await desk.client.run(() => leavingOpen(desk, plan, entries, told));
      await heard(desk, told, entries);
      await tried(desk, taking(desk, plan), 0, 0);
    });
  } finally {
    told.stop();
  }
}

async function leavingOpen(desk: Desk, plan: LeftPlan, entries: OpenHold[], told: Told): Promise<void> {
  const { chance, witness, process } = desk;
  const handle = lockOf(desk, plan.name);
  try {
    const times = chance.pick([1, 1, 1, 2, 3]);
    for (let at = 0; at < times; at++) await locked(desk, handle, entries, told);
    await process.sleep(chance.happens(0.2) ? chance.between(0.3, 1.2) * desk.leaseMs : workMs(desk));
    if (times === 1 || chance.happens(0.5)) return;
    const last = entries.pop() as OpenHold;
    witness.leave(last);
    await witness.pending(desk, `unlock ${plan.name}`, handle.unlock());
    witness.confirm(last);
  } finally {
    if (entries.length > 0) leaveToLease(desk);
    for (const entry of entries.toReversed()) witness.leave(entry);
  }
}

/** A section that was begun in a run goes on when the run has ended: it keeps what it has, and only then is the lock left to its lease. */
async function outlived(desk: Desk, plan: LeftPlan): Promise<void> {
  const { chance, client, witness } = desk;
  const handle = lockOf(desk, plan.name);
  const entries: OpenHold[] = [];
  const told = new Told(desk, plan.name);
  let rest: Promise<unknown> = Promise.resolve();
  try {
    await client.run(async () => {
      await locked(desk, handle, entries, told);
      await new Promise<void>((begun) => {
        const call = handle.withLock(async (hold) => {
          const entry = witness.enter(desk, plan.name, hold, entries[0]);
          begun();
          try {
            await work(desk, hold, chance.mostlySmall(1, 1.5 * desk.leaseMs));
          } finally {
            leaveToLease(desk);
            witness.leave(entry);
          }
        });
        // It may be refused before it has begun.
        rest = witness.pending(desk, `withLock ${plan.name}`, call).finally(begun);
        rest.catch(() => undefined);
      });
      for (const entry of entries) witness.leave(entry);
    });
    await heard(desk, told, entries);
  } finally {
    told.stop();
    await rest;
  }
}
