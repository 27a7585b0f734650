/** What an epoch came to: one line of the results file. */
import type { CampaignClass } from '../faults/catalogue.js';
import type { Topology } from '../site/site.js';
import type { Workload } from '../worker/plan.js';

export interface EpochResult {
  readonly at: string;
  readonly commit: string;
  readonly topology: Topology;
  readonly className: CampaignClass;
  /** Lines from before there were two have none: `all`. */
  readonly workload?: Workload;
  readonly seed: number;
  /** Under faults, in seconds. */
  readonly seconds: number;
  readonly nemeses: readonly string[];
  /** Holds per second before the faults. */
  readonly calmRate: number;
  readonly holds: number;
  readonly local: number;
  readonly reentries: number;
  readonly misses: number;
  readonly losses: number;
  readonly faults: Readonly<Record<string, number>>;
  readonly missedStrikes: number;
  readonly longestLastTurnMs: number;
  /** Updates of what is guarded, and how many of them were overwritten by a writer that no longer held the lock, and knew it. */
  readonly updates: number;
  readonly staleUpdates: number;
  readonly events: number;
  /** Holds that followed one of another process on the same lock. */
  readonly crossProcess: number;
  /** Holds, nested ones too, of each kind of lock but the plain one; see `kinds.ts`. Lines from before have none. */
  readonly holdsByKind?: Readonly<Record<string, number>>;
  readonly verdict: 'passed' | 'violated' | 'counts for nothing';
  /** In words. The histories are kept where there are any. */
  readonly findings: readonly string[];
}

export const faultsOf = ({ faults }: Pick<EpochResult, 'faults'>): number =>
  Object.values(faults).reduce((sum, count) => sum + count, 0);
