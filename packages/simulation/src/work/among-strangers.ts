/** What tasks do with a lock under whose name somebody else may have data. */

import { LockRefusedError } from 'holdfast';
import type { Told } from '../judges/strangers.js';
import type { Desk } from './desk.js';
import { givenUp, object, section, type Taking, tried } from './taking.js';
import { lockOf } from './lock-of.js';
import { settledAll } from './settled-all.js';
import { workMs } from './working.js';

interface Plan {
  readonly name: string;
}

/** How often each is drawn. */
const shares = {
  section: 6,
  nested: 2,
  tried: 4,
  givenUp: 2,
  object: 3,
  crowd: 1,
  longHold: 1,
  questions: 3,
  forced: 2,
};

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, plan: Plan) => Promise<void>>> = {
  section: (desk, plan) => calling(desk, plan, (taking) => section(desk, taking, workMs(desk))),
  nested: (desk, plan) =>
    calling(desk, plan, (taking) =>
      section(desk, taking, workMs(desk), (entries) =>
        calling(desk, plan, (inner) => section(desk, inner, workMs(desk), undefined, entries)),
      ),
    ),
  tried: (desk, plan) => {
    const waitMs = desk.chance.pick([0, 0, desk.chance.below(60)]);
    return calling(desk, plan, (taking) => tried(desk, taking, waitMs, workMs(desk)), waitMs > 0);
  },
  givenUp: (desk, plan) => calling(desk, plan, (taking) => givenUp(desk, taking, workMs(desk)), true),
  object: (desk, plan) => calling(desk, plan, (taking) => object(desk, taking, workMs(desk))),
  crowd: async (desk, plan) => {
    const calls = Array.from({ length: desk.chance.whole(2, 20) }, () =>
      calling(desk, plan, (taking) => section(desk, taking, 0)),
    );
    await settledAll(calls);
  },
  longHold: (desk, plan) =>
    calling(desk, plan, (taking) => section(desk, taking, desk.chance.between(0.5, 2.5) * desk.leaseMs)),
  questions,
  forced,
};

/** One thing that a task does with it. */
export function strangerStep(desk: Desk, plan: Plan): Promise<void> {
  return patterns[desk.chance.weighed(shares)](desk, plan);
}

/** It comes to have it: the data of others is gone by then. */
export function lastAmongStrangers(desk: Desk, plan: Plan): Promise<void> {
  return calling(desk, plan, (taking) => section(desk, taking, 0));
}

/** It may be refused for the data of others, and then that is what the judge is told. */
async function calling(
  desk: Desk,
  plan: Plan,
  call: (taking: Taking) => Promise<void>,
  mayGiveUp = false,
): Promise<void> {
  const settled = desk.judges.strangers.map((judge) => judge.calls(desk.process, desk.name, mayGiveUp));
  const told = (what: Told) => {
    for (const settle of settled.splice(0)) settle(what);
  };
  const watch = () => ({ had: () => told('had'), returned: () => undefined, settled: () => undefined });
  try {
    await call({ names: [plan.name], handle: lockOf(desk, plan.name), watch });
  } catch (error) {
    if (!isOtherData(error)) throw error;
    told('refused');
  } finally {
    told('neither');
  }
}

/** What only asks. */
async function questions(desk: Desk, plan: Plan): Promise<void> {
  const handle = lockOf(desk, plan.name);
  const all = {
    isLocked: () => handle.isLocked(),
    remainTimeToLive: () => handle.remainTimeToLive(),
    inspect: () => desk.client.inspect(plan.name),
  };
  for (const [what, ask] of Object.entries(all))
    await calling(
      desk,
      plan,
      async () => void (await desk.witness.pending<unknown>(desk, `${what} ${plan.name}`, ask())),
    );
}

/** It would take a lock away as well: where that may not be, it is called only where it meets other data for sure. */
async function forced(desk: Desk, plan: Plan): Promise<void> {
  const { judges, process, witness } = desk;
  const isMet = judges.strangers.some((judge) => judge.staysForCall(process.time));
  if (desk.class === 'broken' || !isMet) return;
  const call = lockOf(desk, plan.name).forceUnlock();
  await calling(desk, plan, async () => void (await witness.pending<unknown>(desk, `forceUnlock ${plan.name}`, call)));
}

/** Says so of a lock whose key is something else. */
const isOtherData = (error: unknown): boolean => error instanceof LockRefusedError && error.redisCode === 'NOTALOCK';
