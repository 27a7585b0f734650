/** What tasks do with what a world has besides locks. */

import type { OtherPlan } from '../plan/scenario.js';
import type { Desk } from './desk.js';
import { lastCount, latchStep } from './latches.js';
import { electionStep, lastTerm } from './leading.js';
import { lastPermits, permitStep } from './permits.js';
import { lastValue, shareStep } from './sharing.js';

/** One thing that a task does with one of them; never rejects. */
export async function otherStep(desk: Desk): Promise<void> {
  const plan = desk.chance.pick(desk.others);
  try {
    await stepOf(desk, plan);
  } catch (error) {
    desk.witness.failed(desk, plan.name, error, plan.kind);
  }
}

/** All is whole again, so it must come to its turn. Rejects when it does not. */
export function lastOther(desk: Desk, plan: OtherPlan): Promise<void> {
  switch (plan.kind) {
    case 'semaphore':
      return lastPermits(desk, plan);
    case 'latch':
      return lastCount(desk, plan);
    case 'election':
      return lastTerm(desk, plan);
    case 'share':
      return lastValue(desk, plan);
  }
}

function stepOf(desk: Desk, plan: OtherPlan): Promise<void> {
  switch (plan.kind) {
    case 'semaphore':
      return permitStep(desk, plan);
    case 'latch':
      return latchStep(desk, plan);
    case 'election':
      return electionStep(desk, plan);
    case 'share':
      return shareStep(desk, plan);
  }
}
