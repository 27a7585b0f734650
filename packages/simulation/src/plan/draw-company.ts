/** Draws what others than clients of this version do with a lock: strangers, later versions, forgers. From streams of their own. */

import type { Chance } from '../world/chance.js';
import type { ForgeryKind, ForgeryPlan, LaterPlan, StrangerPlan, VisitPlan } from './scenario.js';
import { strangeData } from './strange-data.js';

/** In peace first. */
const FIRST_MS = 300;
/** Data of a stranger stays no longer. */
const LONGEST_VISIT_MS = 1_500;

export function drawStranger(chance: Chance, workMs: number): StrangerPlan {
  const everyMs = chance.pick([100, 300, 1_000]);
  const visits: VisitPlan[] = [];
  for (let at = FIRST_MS; at < workMs; at += 2 * everyMs * chance.next())
    visits.push({ at, forMs: chance.mostlySmall(5, LONGEST_VISIT_MS), data: chance.pick(strangeData) });
  return { kind: 'stranger', name: 'parcel', visits };
}

/** How often each is drawn. */
const weights: Readonly<Record<ForgeryKind, number>> = {
  'long grant': 4,
  'second grant': 4,
  'guessed grant': 2,
  loss: 4,
  'higher number': 3,
  gibberish: 2,
  flood: 1,
};

/** In half of these worlds nobody forges anything: what is late there is late for no good reason. */
export function drawLater(chance: Chance, workMs: number): LaterPlan {
  const newer = chance.pick([
    [0, 2, 4],
    [1, 3],
    [0, 1, 2, 3, 4],
  ]);
  const everyMs = chance.pick([20, 60, 200]);
  const forgeries: ForgeryPlan[] = [];
  const isForged = chance.happens(0.5);
  for (let at = FIRST_MS; isForged && at < workMs; at += 2 * everyMs * chance.next())
    forgeries.push({ at, kind: chance.weighed(weights), which: chance.below(1_000) });
  return { kind: 'later', name: 'trunk', newer, forgeries };
}
