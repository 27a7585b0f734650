/** What tasks do with a lock that is kept for a least time by some of its holders (`minHoldMs`), and by others not. */

import type { Desk } from './desk.js';
import { lockOf } from './lock-of.js';
import { type CallWatch, section, type Taking, waitWatch } from './taking.js';
import { usual } from './usual.js';

interface Plan {
  readonly name: string;
}

/** How often each is drawn. */
const shares = { section: 8, nested: 3, tried: 3, givenUp: 3, object: 3, longHold: 1 };

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, plan: Plan) => Promise<void>>> = {
  ...usual(drawn),
  longHold: (desk, plan) => section(desk, drawn(desk, plan), desk.chance.between(0.5, 2.5) * desk.leaseMs),
};

/** One thing that a task does with it. */
export function restStep(desk: Desk, plan: Plan): Promise<void> {
  return patterns[desk.chance.weighed(shares)](desk, plan);
}

/** It comes to have it. */
export function lastRest(desk: Desk, plan: Plan): Promise<void> {
  return section(desk, taking(desk, plan, undefined), 0);
}

/** Half of all calls ask for a least time. Most of these are longer than the work, some longer than a lease. */
function drawn(desk: Desk, plan: Plan): Taking {
  const minHoldMs = Math.ceil(desk.chance.mostlySmall(1, 1_500));
  return taking(desk, plan, desk.chance.happens(0.5) ? minHoldMs : undefined);
}

function taking(desk: Desk, { name }: Plan, minHoldMs: number | undefined): Taking {
  return {
    names: [name],
    handle: lockOf(desk, name),
    options: minHoldMs === undefined ? {} : { minHoldMs },
    watch: () => watched(desk, name, minHoldMs),
  };
}

function watched(desk: Desk, name: string, minHoldMs: number | undefined): CallWatch {
  const judges = desk.judges.rests.filter((judge) => judge.name === name);
  const wait = waitWatch(desk, name);
  return {
    ...wait,
    had: (entry) => {
      wait.had(entry);
      for (const judge of judges) judge.entered(desk.process.turnBegan, entry, minHoldMs);
    },
    returned: (entry) => {
      for (const judge of judges) judge.returned(entry);
    },
  };
}
