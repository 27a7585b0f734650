/** What tasks do with what a world has besides locks. */

import type { OtherPlan } from '../plan/scenario.js';
import type { Desk } from './desk.js';
import { lastAmongStrangers, strangerStep } from './among-strangers.js';
import { circleStep, lastFork } from './circling.js';
import { guardStep, lastGuarded } from './guarding.js';
import { lastLater, laterStep } from './with-later-versions.js';
import { idStep, lastIds } from './issuing.js';
import { lastVote, majorityStep } from './majorities.js';
import { lastMulti, multiStep } from './multi-locks.js';
import { lastCount, latchStep } from './latches.js';
import { electionStep, lastTerm } from './leading.js';
import { lastLeft, leftStep } from './leaving-open.js';
import { lastOwned, ownerStep } from './owning.js';
import { lastPermits, permitStep } from './permits.js';
import { lastRest, restStep } from './resting.js';
import { lastValue, shareStep } from './sharing.js';
import { lastSpin, spinStep } from './spinning.js';

/** One thing that a task does with one of them; never rejects. */
export async function otherStep(desk: Desk): Promise<void> {
  const plan = desk.chance.pick(desk.others);
  try {
    await workOn(desk, plan).step();
  } catch (error) {
    desk.witness.failed(desk, plan.name, error, plan.kind);
  }
}

/** All is whole again, so it must come to its turn. Rejects when it does not. */
export function lastOther(desk: Desk, plan: OtherPlan): Promise<void> {
  return workOn(desk, plan).last();
}

interface Work {
  readonly step: () => Promise<void>;
  readonly last: () => Promise<void>;
}

function workOn(desk: Desk, plan: OtherPlan): Work {
  switch (plan.kind) {
    case 'semaphore':
      return { step: () => permitStep(desk, plan), last: () => lastPermits(desk, plan) };
    case 'ids':
      return { step: () => idStep(desk, plan), last: () => lastIds(desk, plan) };
    case 'latch':
      return { step: () => latchStep(desk, plan), last: () => lastCount(desk, plan) };
    case 'election':
      return { step: () => electionStep(desk, plan), last: () => lastTerm(desk, plan) };
    case 'share':
      return { step: () => shareStep(desk, plan), last: () => lastValue(desk, plan) };
    case 'multi':
      return { step: () => multiStep(desk, plan), last: () => lastMulti(desk, plan) };
    case 'majority':
      return { step: () => majorityStep(desk, plan), last: () => lastVote(desk, plan) };
    case 'spin':
      return { step: () => spinStep(desk, plan), last: () => lastSpin(desk, plan) };
    case 'rest':
      return { step: () => restStep(desk, plan), last: () => lastRest(desk, plan) };
    case 'owners':
      return { step: () => ownerStep(desk, plan), last: () => lastOwned(desk, plan) };
    case 'circle':
      return { step: () => circleStep(desk, plan), last: () => lastFork(desk, plan) };
    case 'guard':
      return { step: () => guardStep(desk, plan), last: () => lastGuarded(desk, plan) };
    case 'stranger':
      return { step: () => strangerStep(desk, plan), last: () => lastAmongStrangers(desk, plan) };
    case 'later':
      return { step: () => laterStep(desk, plan), last: () => lastLater(desk, plan) };
    case 'left':
      return { step: () => leftStep(desk, plan), last: () => lastLeft(desk, plan) };
  }
}
