import type { Figure } from '../measure/figures.js';
import type { Summary } from '../measure/statistics.js';

/** One peer in one case. */
export interface PeerResult {
  readonly peer: string;
  readonly figures: Readonly<Partial<Record<Figure, Summary>>>;
  /** Of the rate that the workload compares by, in rounds next to each other; absent for what a workload does not compare. */
  readonly toBase?: number;
  readonly toBestPeer?: number;
  /** Tasks inside at once, at most: more than 1 is a lock that does not exclude. */
  readonly mostInside: number;
  /** What calls rejected with, some of them. */
  readonly failures: readonly string[];
  /** What ended the case for this peer. Figures are of the rounds before. */
  readonly problem?: string;
}

export interface CaseResult {
  readonly label: string;
  readonly x?: number;
  readonly peers: readonly PeerResult[];
}

/** Where and how something was measured. Says nothing about whose machine it was. */
export interface Circumstances {
  readonly command: string;
  readonly commit: string;
  readonly node: string;
  readonly redis: string;
  readonly packages: Readonly<Record<string, string>>;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly system: string;
  };
  /** Load average of the last minute when it began: a busy machine measures itself. */
  readonly loadBefore: number;
  readonly rounds: number;
  readonly roundMs: number;
}

/** One workload: the content of one JSON file. */
export interface WorkloadResult {
  readonly workload: string;
  readonly circumstances: Circumstances;
  readonly tookS: number;
  readonly cases: readonly CaseResult[];
}
