/** What tasks do with a fenced lock under which they write: each write through the guard of the hold, to a string or to a hash. */

import { type FencedHold, StaleTokenError } from 'holdfast';
import type { OpenHold } from '../judges/exclusion.js';
import { type GuardJudge, WRITTEN_FIELD } from '../judges/guards.js';
import type { Desk } from './desk.js';
import { settledAll } from './settled-all.js';
import { section, type Taking, waitWatch } from './taking.js';
import { LONGEST_FIXED_LEASE_MS, workMs } from './working.js';

interface Plan {
  readonly name: string;
}

/** How often each is drawn. */
const shares = { section: 8, nested: 3, together: 3, fixedLease: 4, longHold: 1 };

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, plan: Plan) => Promise<void>>> = {
  section: (desk, plan) => section(desk, taking(desk, plan), workMs(desk), writing(desk)),
  // The hold inside counts on: it is the same holder.
  nested: (desk, plan) =>
    section(desk, taking(desk, plan), 0, async (entries) => {
      await writing(desk)(entries);
      await section(desk, taking(desk, plan), workMs(desk), writing(desk), entries);
      await writing(desk)(entries);
    }),
  together: (desk, plan) =>
    section(desk, taking(desk, plan), 0, (entries) =>
      settledAll(
        Array.from({ length: desk.chance.whole(2, 5) }, () =>
          write(desk, entries, { key: keyFor(desk), isRenewed: true }),
        ),
      ),
    ),
  fixedLease,
  longHold: (desk, plan) =>
    section(desk, taking(desk, plan), desk.chance.between(0.5, 2.5) * desk.leaseMs, writing(desk)),
};

/** One thing that a task does with it. */
export function guardStep(desk: Desk, plan: Plan): Promise<void> {
  return patterns[desk.chance.weighed(shares)](desk, plan);
}

/** It comes to have it, and writes. */
export function lastGuarded(desk: Desk, plan: Plan): Promise<void> {
  return section(desk, taking(desk, plan), 0, (entries) =>
    write(desk, entries, { key: keyFor(desk), isRenewed: true }),
  );
}

/** It writes on until its lease is over, and a little longer. */
async function fixedLease(desk: Desk, plan: Plan): Promise<void> {
  const { chance, process } = desk;
  const leaseMs = Math.round(chance.mostlySmall(100, LONGEST_FIXED_LEASE_MS));
  const forMs = chance.happens(0.5) ? chance.between(0.8, 1.2) * leaseMs : workMs(desk);
  const since = process.time;
  const writes = async (entries: readonly OpenHold[]) => {
    const key = keyFor(desk);
    do {
      await write(desk, entries, { key, isRenewed: false });
      await process.sleep(workMs(desk));
    } while (process.time < since + forMs);
  };
  try {
    await section(desk, { ...taking(desk, plan), options: { leaseMs } }, 0, writes);
  } catch (error) {
    desk.witness.failed(desk, plan.name, error, 'fixedLease');
  }
}

function taking(desk: Desk, { name }: Plan): Taking {
  return { names: [name], handle: desk.client.getFencedLock(name), watch: () => waitWatch(desk, name) };
}

/** Some writes, one after the other. */
function writing(desk: Desk): (entries: readonly OpenHold[]) => Promise<void> {
  return async (entries) => {
    const key = keyFor(desk);
    for (let left = Math.floor(desk.chance.mostlySmall(0, 30)); left > 0; left--) {
      await write(desk, entries, { key, isRenewed: true });
      if (desk.chance.happens(0.3)) await desk.process.sleep(workMs(desk));
    }
  };
}

/** A string or a hash. */
function keyFor(desk: Desk): string {
  const { text, hash } = judgeOf(desk);
  return desk.chance.happens(0.5) ? text : hash;
}

function judgeOf({ judges }: Desk): GuardJudge {
  const [judge] = judges.guards;
  if (judge === undefined) throw new Error('no judge of guards');
  return judge;
}

async function write(
  desk: Desk,
  entries: readonly OpenHold[],
  { key, isRenewed }: { readonly key: string; readonly isRenewed: boolean },
): Promise<void> {
  const { chance, name, process, witness } = desk;
  const judge = judgeOf(desk);
  // Every hold of a fenced lock is one.
  const hold = entries[0]?.hold as FencedHold;
  const value = judge.valueFor(name);
  const deletes = chance.happens(0.15);
  try {
    await witness.pending(desk, `guarded write of ${value}`, sent(desk, judge, hold, { key, value, deletes }));
    if (!deletes) judge.written(process.time, name, value);
  } catch (error) {
    if (!(error instanceof StaleTokenError)) throw error;
    judge.refused(process.time, name, { key, token: hold.token, isRenewed });
  }
}

function sent(
  { chance }: Desk,
  judge: GuardJudge,
  { guard }: FencedHold,
  { key, value, deletes }: { readonly key: string; readonly value: string; readonly deletes: boolean },
): Promise<void> {
  if (key === judge.hash) return deletes ? guard.hdel(key, WRITTEN_FIELD) : guard.hset(key, { [WRITTEN_FIELD]: value });
  const ttlMs = Math.ceil(chance.mostlySmall(1, 2_000));
  return deletes ? guard.del(key) : guard.set(key, value, chance.happens(0.2) ? { ttlMs } : {});
}
