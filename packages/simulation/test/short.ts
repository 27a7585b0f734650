import type { Scenario } from '../src/index.js';

/** World time for which tasks work. */
const WORK_MS = 2_500;

/** A world that is over soon: a few hundred holds. */
export const short = (scenario: Scenario): Scenario => ({
  ...scenario,
  workMs: WORK_MS,
  faults: scenario.faults.filter(({ at }) => at < WORK_MS),
});
