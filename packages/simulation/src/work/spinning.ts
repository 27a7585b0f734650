/** What tasks do with spin locks, beside those that wait for a message on the same name. */

import type { Desk } from './desk.js';
import { section, type Taking, tried } from './taking.js';
import { usual } from './usual.js';
import { workMs } from './working.js';

interface Plan {
  readonly name: string;
}

/** How often each is drawn. */
const shares = { section: 6, inLine: 2, nested: 2, tried: 3, fewAttempts: 2, givenUp: 3, object: 3, longHold: 1 };

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, plan: Plan) => Promise<void>>> = {
  ...usual(spin),
  inLine: (desk, plan) => section(desk, inLine(desk, plan), workMs(desk)),
  fewAttempts: (desk, plan) => tried(desk, spin(desk, plan, desk.chance.whole(1, 4)), 1_000, workMs(desk)),
  longHold: (desk, plan) => section(desk, spin(desk, plan), desk.chance.between(0.5, 2.5) * desk.leaseMs),
};

/** One thing that a task does with it. */
export function spinStep(desk: Desk, plan: Plan): Promise<void> {
  return patterns[desk.chance.weighed(shares)](desk, plan);
}

/** It comes to have it. */
export function lastSpin(desk: Desk, plan: Plan): Promise<void> {
  return section(desk, spin(desk, plan), 0);
}

function spin({ client }: Desk, { name }: Plan, maxAttempts?: number): Taking {
  return { names: [name], handle: client.getSpinLock(name, maxAttempts === undefined ? {} : { maxAttempts }) };
}

const inLine = ({ client }: Desk, { name }: Plan): Taking => ({ names: [name], handle: client.getLock(name) });
