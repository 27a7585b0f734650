/** What tasks do with a lock that processes of a later version use as well. */

import type { LaterPlan } from '../plan/scenario.js';
import type { Desk } from './desk.js';
import { lockOf } from './lock-of.js';
import { settledAll } from './settled-all.js';
import { section, type Taking, waitWatch } from './taking.js';
import { usual } from './usual.js';

/** How often each is drawn. */
const shares = { section: 10, nested: 3, tried: 2, givenUp: 2, object: 3, crowd: 1, longHold: 1 };

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, plan: LaterPlan) => Promise<void>>> = {
  ...usual(taking),
  crowd: async (desk, plan) => {
    const calls = Array.from({ length: desk.chance.whole(2, 20) }, () => section(desk, taking(desk, plan), 0));
    await settledAll(calls);
  },
  longHold: (desk, plan) => section(desk, taking(desk, plan), desk.chance.between(0.5, 2.5) * desk.leaseMs),
};

/** One thing that a task does with it. */
export function laterStep(desk: Desk, plan: LaterPlan): Promise<void> {
  return patterns[desk.chance.weighed(shares)](desk, plan);
}

/** It comes to have it. */
export function lastLater(desk: Desk, plan: LaterPlan): Promise<void> {
  return section(desk, taking(desk, plan), 0);
}

function taking(desk: Desk, plan: LaterPlan): Taking {
  return { names: [plan.name], handle: lockOf(desk, plan.name), watch: () => waitWatch(desk, plan.name) };
}
