import type { Figure, Figures } from '../measure/figures.js';
import type { Histogram } from '../measure/histogram.js';
import type { Peer } from '../peers/peer.js';
import type { Bench } from '../run/bench.js';

/** What one round of one peer came to. */
export interface Round {
  readonly figures: Figures;
  /** Merged over the rounds, for tails that one round has too few of. */
  readonly latencies: Readonly<Partial<Record<'acquire' | 'handoff', Histogram>>>;
  /** What calls rejected with. */
  readonly failures: readonly string[];
}

/** What a peer did before the first round. */
export interface Preparation {
  /** Tasks inside at once, at most, in a contended workload whose sections last; more than 1: it does not exclude. */
  readonly mostInside: number;
}

/**
 * How often a case is measured. `several`: as often as the run says. `one`: a round takes seconds and is repeated in no run. So many times as many
 * as several: a round is short and says little by itself; but one where the run has one of everything.
 */
export type Rounds = 'several' | 'one' | { readonly times: number };

export function roundsOf(rounds: Rounds, several: number): number {
  if (rounds === 'one' || several === 1) return 1;
  return rounds === 'several' ? several : several * rounds.times;
}

/** One setting of a workload. */
export interface Case {
  readonly label: string;
  /** What grows from case to case; absent in cases that are no part of the growth plot. */
  readonly x?: number;
  readonly inShortRun: boolean;
  /** Absent: as the workload says. */
  readonly rounds?: Rounds;
  /** Of the peers that suit the workload. Absent: all of them. */
  suits?(peer: Peer): boolean;
  prepare(bench: Bench, peer: Peer): Promise<Preparation>;
  measure(bench: Bench, peer: Peer): Promise<Round>;
}

/** How the cases become a plot. */
export interface GrowthPlot {
  /** What x is. */
  readonly x: string;
  readonly figures: readonly Figure[];
  /** Why it is not flat, or not linear. */
  readonly why: string;
}

/** Something that is measured for each peer that it suits, in several cases. */
export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly about: string;
  readonly columns: readonly Figure[];
  /** What peers are compared by: more is better. */
  readonly rate: Figure | undefined;
  readonly cases: readonly Case[];
  readonly growth?: GrowthPlot;
  readonly rounds: Rounds;
  /** The name of the peer that all are divided by. */
  readonly base: string;
  suits(peer: Peer): boolean;
}
