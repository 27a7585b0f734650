/** What tasks do with multi-locks: all members, some of them in any order, one alone. */

import type { Desk } from './desk.js';
import { section, type Taking } from './taking.js';
import { usual } from './usual.js';
import { workMs } from './working.js';

interface Plan {
  readonly members: readonly string[];
}

/** How often each is drawn. */
const shares = { section: 6, alone: 5, nested: 2, tried: 4, givenUp: 3, object: 3, longHold: 1 };

const patterns: Readonly<Record<keyof typeof shares, (desk: Desk, plan: Plan) => Promise<void>>> = {
  ...usual(some),
  alone: (desk, { members }) => section(desk, all(desk, [desk.chance.pick(members)]), workMs(desk)),
  nested: (desk, plan) => {
    const taking = some(desk, plan);
    const again = all(desk, [desk.chance.pick(taking.names)]);
    return section(desk, taking, workMs(desk), (entries) => section(desk, again, workMs(desk), undefined, entries));
  },
  longHold: (desk, plan) => section(desk, some(desk, plan), desk.chance.between(0.5, 2.5) * desk.leaseMs),
};

/** One thing that a task does with them. */
export function multiStep(desk: Desk, plan: Plan): Promise<void> {
  return patterns[desk.chance.weighed(shares)](desk, plan);
}

/** It comes to have all members. */
export function lastMulti(desk: Desk, { members }: Plan): Promise<void> {
  return section(desk, all(desk, members), 0);
}

function some(desk: Desk, { members }: Plan): Taking {
  const left = [...members];
  const names = Array.from({ length: desk.chance.whole(1, members.length) }, () =>
    left.splice(desk.chance.below(left.length), 1),
  );
  return all(desk, names.flat());
}

const all = ({ client }: Desk, names: readonly string[]): Taking => ({ names, handle: client.getMultiLock(names) });
