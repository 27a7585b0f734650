import type { Peer } from '../peers/peer.js';
import type { CaseResult, Circumstances, WorkloadResult } from '../report/results.js';
import type { Workload } from '../workloads/workload.js';
import { alternate } from './alternate.js';
import type { Bench } from './bench.js';
import type { Budget } from './budget.js';

/** What one workload is measured with, and who is told how it goes on. */
export interface Measurement {
  readonly bench: Bench;
  readonly budget: Budget;
  readonly peers: readonly Peer[];
  readonly extent: 'full' | 'short';
  readonly circumstances: Circumstances;
  onStep(step: string): void;
  onCase(workload: Workload, result: CaseResult): void;
  /** The run has taken as long as it may. */
  onLeftOut(workload: Workload, label: string): void;
}

/** A peer that came to no end in so many cases of a workload comes to none in the others: what it costs to see that again is minutes. */
const CHANCES = 2;

const hasFailed = (cases: readonly CaseResult[], { name }: Peer): boolean =>
  cases.filter(({ peers }) => peers.some(({ peer, problem }) => peer === name && problem !== undefined)).length >=
  CHANCES;

/** Measures all cases of one workload that belong to the run. */
export async function measureWorkload(workload: Workload, measurement: Measurement): Promise<WorkloadResult> {
  const { bench, extent, circumstances } = measurement;
  const peers = measurement.peers.filter((peer) => workload.suits(peer));
  const startedAt = performance.now();
  const cases: CaseResult[] = [];
  for (const testCase of workload.cases.filter(({ inShortRun }) => extent === 'full' || inShortRun)) {
    const { label, x } = testCase;
    const rounds = measurement.budget.rounds(circumstances.rounds);
    if (rounds === 0) {
      measurement.onLeftOut(workload, label);
      continue;
    }
    const onStep = (peer: string) => measurement.onStep(`${workload.name}, ${label}: ${peer}`);
    const plan = {
      workload,
      peers: peers.filter((peer) => testCase.suits?.(peer) ?? true),
      rounds,
      onStep,
      leftOut: (peer: Peer) => hasFailed(cases, peer),
    };
    const result = { label, ...(x !== undefined && { x }), peers: await alternate(bench, plan, testCase) };
    cases.push(result);
    measurement.onCase(workload, result);
  }
  // Fresh processes for each workload make its memory and compiled code its own; in the short run starting them would take most of the time.
  if (extent === 'full') await bench.team.stop();
  return { workload: workload.name, circumstances, tookS: (performance.now() - startedAt) / 1_000, cases };
}
