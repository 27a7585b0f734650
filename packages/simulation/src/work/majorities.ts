/** What tasks do with locks that a majority of servers holds. */

import type { RLock } from 'holdfast';
import type { MajorityPlan } from '../plan/scenario.js';
import type { Desk } from './desk.js';
import { settledAll } from './settled-all.js';
import { section, type Taking } from './taking.js';
import { usual } from './usual.js';

/** How often each is drawn. */
const shares = {
  section: 8,
  nested: 3,
  tried: 4,
  givenUp: 3,
  object: 3,
  crowd: 1,
  fixedLease: 2,
  longHold: 1,
  queries: 1,
};

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, plan: MajorityPlan) => Promise<void>>> = {
  ...usual(taking),
  crowd: async (desk, plan) => {
    const calls = Array.from({ length: desk.chance.whole(3, 20) }, () => section(desk, taking(desk, plan), 0));
    await settledAll(calls);
  },
  fixedLease,
  longHold: (desk, plan) => section(desk, taking(desk, plan), desk.chance.between(0.5, 2.5) * plan.watchdogTimeoutMs),
  queries,
};

/** One thing that a task does with one. */
export function majorityStep(desk: Desk, plan: MajorityPlan): Promise<void> {
  return patterns[desk.chance.weighed(shares)](desk, plan);
}

/** It comes to have it. */
export function lastVote(desk: Desk, plan: MajorityPlan): Promise<void> {
  return section(desk, taking(desk, plan), 0);
}

/** Where something breaks, the work may be longer than the lease. */
function fixedLease(desk: Desk, plan: MajorityPlan): Promise<void> {
  const { chance, computes } = desk;
  const leaseMs = Math.ceil(chance.between(0.5, 1) * plan.watchdogTimeoutMs);
  const forMs = leaseMs * (computes ? chance.between(0.2, 1.5) : 0.1);
  return section(desk, { ...taking(desk, plan), options: { leaseMs } }, forMs);
}

async function queries(desk: Desk, plan: MajorityPlan): Promise<void> {
  const lock = lockOf(desk, plan);
  await desk.witness.pending(desk, `isLocked ${plan.name}`, lock.isLocked());
  await desk.witness.pending(desk, `remainTimeToLive ${plan.name}`, lock.remainTimeToLive());
}

function taking(desk: Desk, plan: MajorityPlan): Taking {
  return { names: [plan.name], handle: lockOf(desk, plan) };
}

function lockOf({ majority }: Desk, { name }: MajorityPlan): RLock {
  if (majority === undefined) throw new Error('this world has no locks by majority');
  return majority.getRedLock(name);
}
