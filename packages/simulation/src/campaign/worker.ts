/** One process of a campaign: runs one seed after another and says what came of it. */

import { scenarioOf, type ScenarioTerms } from '../plan/draw.js';
import { runScenario } from '../run.js';
import { inMacrotask } from '../world/jobs.js';
import { addRun, emptyTally, type Finding, type Tally } from './tally.js';

/** What a worker is to do: every `stride`-th seed from `first` on, up to and without `end`. */
export interface Share {
  readonly first: number;
  readonly stride: number;
  readonly end: number;
  readonly terms: ScenarioTerms;
}

/** What a worker says: what has been added since it last spoke. */
export interface WorkerReport {
  readonly tally: Tally;
  readonly findings: readonly Finding[];
  readonly done: boolean;
}

const REPORT_EVERY_MS = 500;

/** Runs its share until told to stop by the end of the process. */
export async function work(share: Share, report: (report: WorkerReport) => void): Promise<void> {
  let tally = emptyTally();
  let findings: Finding[] = [];
  let reportedAt = performance.now();
  for (let seed = share.first; seed < share.end; seed += share.stride) {
    const result = await inMacrotask(() => runScenario(scenarioOf(seed, share.terms)));
    addRun(tally, result);
    if (result.violation !== undefined) findings.push({ ...result.violation, seed, class: result.scenario.class });
    if (findings.length === 0 && performance.now() - reportedAt < REPORT_EVERY_MS) continue;
    report({ tally, findings, done: false });
    tally = emptyTally();
    findings = [];
    reportedAt = performance.now();
  }
  report({ tally, findings, done: true });
}
