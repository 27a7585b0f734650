import { now } from '../measure/clock.js';
import { passage } from '../measure/handoffs.js';
import { Histogram } from '../measure/histogram.js';
import { fairness } from '../measure/statistics.js';
import type { Peer } from '../peers/peer.js';
import type { Bench } from '../run/bench.js';
import type { LoopOrder, LoopReport } from '../worker/messages.js';
import { crewOf, LEAD_MS, type LoopSetting, runLoops, sectionsOf } from './loop-case.js';
import type { Case, Round } from './workload.js';

/** For proving that the two exclude each other. */
const GUARD_MS = 500;

/** A closed loop of two peers on one lock, each in so many processes. */
interface SharedSetting extends Required<Pick<LoopSetting, 'label' | 'inShortRun' | 'processes' | 'tasks' | 'holdMs'>> {
  /** Whom a peer shares the lock with. */
  readonly besides: (peer: Peer) => Peer;
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);
const servedIn = (reports: readonly LoopReport[]): number[] => reports.map(({ served }) => sum(served));

/** What a peer's processes had of the lock, beside those of the other. Both have as many processes and tasks. */
export function shareOf(own: readonly LoopReport[], others: readonly LoopReport[], durationMs: number): Round {
  const [ours, theirs] = [sum(servedIn(own)), sum(servedIn(others))];
  return {
    figures: {
      opsPerSecond: (ours / durationMs) * 1_000,
      ...(ours + theirs > 0 && { shareOfFair: (2 * ours) / (ours + theirs) }),
      fairness: fairness(servedIn(own)) ?? 0,
    },
    latencies: { acquire: Histogram.merged(own.map(({ acquire }) => Histogram.of(acquire))) },
    failures: own.flatMap(({ failures }) => failures),
  };
}

/** Two peers that take one lock from each other; the figures are of the one that is measured. */
export function sharedCase({ label, inShortRun, besides, ...setting }: SharedSetting): Case {
  const shape = { ...setting, locks: 'one', depth: 1 } as const;
  const together = async (bench: Bench, peer: Peer, part: Partial<LoopOrder>) => {
    const other = besides(peer);
    for (const one of [peer, other]) await crewOf(bench, one, shape); // else the clock would run while one connects
    const order = { ...part, name: bench.freshName(), startAt: now() + LEAD_MS };
    return Promise.all([runLoops(bench, peer, shape, order), runLoops(bench, other, shape, order)]);
  };
  return {
    label,
    inShortRun,
    async prepare(bench, peer) {
      const [own, others] = await together(bench, peer, { durationMs: GUARD_MS, report: 'sections' });
      return { mostInside: passage(sectionsOf([...own, ...others])).mostInside };
    },
    async measure(bench, peer) {
      const [own, others] = await together(bench, peer, { report: 'sums' });
      return shareOf(own, others, bench.roundMs);
    },
  };
}
