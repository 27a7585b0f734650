/** What tasks do with a lock that they ask for under the name of an owner, which they share with the other tasks of their process. */

import type { Hold, RLock } from 'holdfast';
import type { OpenHold } from '../judges/exclusion.js';
import type { OwnedHolds, OwnerJudge } from '../judges/owners.js';
import type { Desk } from './desk.js';
import { givenUpAfter } from './giving-up.js';
import { lockOf } from './lock-of.js';
import { settledAll } from './settled-all.js';
import { section as unowned } from './taking.js';
import { work, workMs } from './working.js';

interface Plan {
  readonly name: string;
}

/** Of every process: the same name in two of them is two owners. */
const OWNERS = ['blue', 'red'] as const;

/** How often each is drawn. */
const shares = {
  section: 5,
  again: 4,
  strangers: 4,
  aroundScopes: 3,
  object: 4,
  tried: 3,
  givenUp: 2,
  imperative: 3,
  crowd: 2,
  longHold: 1,
  unowned: 6,
};

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, plan: Plan) => Promise<void>>> = {
  section: (desk, plan) => section(drawn(desk, plan), workMs(desk)),
  again: (desk, plan) => {
    const owner = drawn(desk, plan);
    return section(owner, workMs(desk), () => section(owner, workMs(desk), () => section(owner, workMs(desk))));
  },
  strangers,
  aroundScopes,
  object: (desk, plan) => object(drawn(desk, plan)),
  tried: (desk, plan) => tried(drawn(desk, plan), workMs(desk)),
  givenUp: (desk, plan) => givenUp(drawn(desk, plan)),
  imperative: (desk, plan) => imperative(drawn(desk, plan)),
  crowd: async (desk, plan) => {
    const owner = drawn(desk, plan);
    await settledAll(Array.from({ length: desk.chance.whole(2, 3) }, () => section(owner, workMs(desk))));
  },
  longHold: (desk, plan) => section(drawn(desk, plan), desk.chance.between(0.5, 2.5) * desk.leaseMs),
  unowned: (desk, plan) => alone(desk, plan, workMs(desk)),
};

/** One thing that a task does with it. */
export function ownerStep(desk: Desk, plan: Plan): Promise<void> {
  return patterns[desk.chance.weighed(shares)](desk, plan);
}

/** It comes to have it. */
export function lastOwned(desk: Desk, plan: Plan): Promise<void> {
  return section(drawn(desk, plan), 0);
}

/** An owner, as one of its tasks has it. */
interface Owner {
  readonly desk: Desk;
  readonly name: string;
  readonly judge: OwnerJudge;
  readonly owner: string;
  readonly own: OwnedHolds;
}

function judgeOf(desk: Desk, { name }: Plan): OwnerJudge {
  const [judge] = desk.judges.owners;
  if (judge === undefined) throw new Error(`${name} has no judge of owners`);
  return judge;
}

function drawn(desk: Desk, plan: Plan, among: readonly string[] = OWNERS): Owner {
  const { name } = plan;
  const judge = judgeOf(desk, plan);
  const owner = desk.chance.pick(among);
  return { desk, name, judge, owner, own: judge.of(desk.process, owner) };
}

const handleOf = ({ desk, name, owner }: Owner): RLock => lockOf(desk, name, { owner });

/** It asks for it. Returns what is to be called when that has come to an end. */
function calls({ desk, judge, owner, own }: Owner): () => void {
  const settled = judge.calls(desk.process, desk.name, own);
  const served = judge.firstCalls.calls(desk.client.clientId, owner);
  return () => {
    settled();
    served();
  };
}

async function asked<T>(owner: Owner, what: string, call: Promise<T>): Promise<T> {
  return owner.desk.witness.pending(owner.desk, what, call).finally(calls(owner));
}

/** What it has is inside of what the owner has already. */
function had({ desk, name, own }: Owner, hold: Hold | undefined): OpenHold {
  const entry = desk.witness.enter(desk, name, hold, own.around(desk.process.time, hold));
  own.had(entry);
  return entry;
}

function leaves({ desk, own }: Owner, entry: OpenHold): void {
  own.left(entry);
  desk.witness.leave(entry);
}

async function section(owner: Owner, forMs: number, inside?: () => Promise<void>): Promise<void> {
  const { desk, name } = owner;
  const settled = calls(owner);
  let isIn = false;
  const call = handleOf(owner).withLock((hold) => {
    settled();
    isIn = true;
    return during(owner, hold, forMs, inside);
  });
  try {
    await desk.witness.pending(desk, `withLock ${name}`, call);
  } finally {
    settled();
    if (isIn) owner.own.gaveBack();
  }
}

/** Another owner inside the section of the first, in the same flow. */
function strangers(desk: Desk, plan: Plan): Promise<void> {
  const one = drawn(desk, plan);
  const other = drawn(
    desk,
    plan,
    OWNERS.filter((name) => name !== one.owner),
  );
  return section(one, workMs(desk), () => tried(other, workMs(desk)));
}

async function during(owner: Owner, hold: Hold, forMs: number, inside?: () => Promise<void>): Promise<void> {
  const entry = had(owner, hold);
  try {
    await work(owner.desk, hold, forMs);
    await inside?.();
  } finally {
    leaves(owner, entry);
  }
}

function object(owner: Owner): Promise<void> {
  return given(owner, workMs(owner.desk), () => asked(owner, `acquire ${owner.name}`, handleOf(owner).acquire()));
}

/** Refused while another owner has it, also inside the section of that other. */
function tried(owner: Owner, forMs: number): Promise<void> {
  const waitMs = owner.desk.chance.pick([0, 0, 5, 40]);
  return given(owner, forMs, () => asked(owner, `tryAcquire ${owner.name}`, handleOf(owner).tryAcquire({ waitMs })));
}

function givenUp(owner: Owner): Promise<void> {
  const { desk, name } = owner;
  return given(owner, workMs(desk), () =>
    givenUpAfter(desk, desk.chance.below(40), (signal) =>
      asked(owner, `acquire ${name}`, handleOf(owner).acquire({ signal })),
    ),
  );
}

async function given(owner: Owner, forMs: number, call: () => Promise<Hold | null | undefined>): Promise<void> {
  const hold = await call();
  if (hold === null || hold === undefined) return;
  try {
    await during(owner, hold, forMs);
  } finally {
    await owner.desk.witness
      .pending(owner.desk, `release ${owner.name}`, hold.release())
      .finally(() => owner.own.gaveBack());
  }
}

/** Any task of the owner may undo the latest `lock()` of any other. */
async function imperative(owner: Owner): Promise<void> {
  const { desk, name, own } = owner;
  let taken = 0;
  try {
    for (const times = desk.chance.whole(1, 2); taken < times; taken++) {
      await asked(owner, `lock ${name}`, handleOf(owner).lock());
      own.imperative.push(had(owner, undefined));
      await desk.process.sleep(workMs(desk));
    }
  } finally {
    await unlockAll(owner, taken);
  }
}

async function unlockAll(owner: Owner, times: number): Promise<void> {
  const { desk, name, own } = owner;
  const settled = await Promise.allSettled(
    Array.from({ length: times }, async () => {
      const entry = own.imperative.at(-1);
      if (entry !== undefined) leaves(owner, entry);
      try {
        await desk.witness.pending(desk, `unlock ${name}`, handleOf(owner).unlock());
      } finally {
        if (entry !== undefined) own.gaveBack();
      }
      if (entry !== undefined) desk.witness.confirm(entry);
    }),
  );
  for (const result of settled) if (result.status === 'rejected') throw result.reason;
}

/** Scopes and owners are strangers to each other: an owner inside a section of nobody's, and the other way round. */
async function aroundScopes(desk: Desk, plan: Plan): Promise<void> {
  const owner = drawn(desk, plan);
  if (desk.chance.happens(0.5)) return alone(desk, plan, workMs(desk), () => tried(owner, workMs(desk)));
  return section(owner, workMs(desk), async () => {
    const handle = lockOf(desk, plan.name);
    const served = judgeOf(desk, plan).firstCalls.calls(desk.client.clientId, undefined);
    const hold = await desk.witness.pending(desk, `tryAcquire ${plan.name}`, handle.tryAcquire()).finally(served);
    if (hold === null) return;
    const entry = desk.witness.enter(desk, plan.name, hold, undefined);
    desk.witness.leave(entry);
    await desk.witness.pending(desk, `release ${plan.name}`, hold.release());
  });
}

/** By its scope, as all that names no owner. */
function alone(desk: Desk, plan: Plan, forMs: number, inside?: () => Promise<void>): Promise<void> {
  const { name } = plan;
  const watch = () => {
    const wait = desk.witness.waits(desk, name);
    const served = judgeOf(desk, plan).firstCalls.calls(desk.client.clientId, undefined);
    return {
      had: () => {
        wait.had();
        served();
      },
      returned: () => undefined,
      settled: () => {
        wait.settled();
        served();
      },
    };
  };
  return unowned(desk, { names: [name], handle: lockOf(desk, name), watch }, forMs, inside);
}
