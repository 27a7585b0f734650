import type { Figure, Figures } from '../measure/figures.js';
import { Histogram } from '../measure/histogram.js';
import { median, pairedRatio, type Summary, summary } from '../measure/statistics.js';
import type { Peer } from '../peers/peer.js';
import { subject } from '../peers/roster.js';
import type { PeerResult } from '../report/results.js';
import { type Case, type Round, roundsOf, type Workload } from '../workloads/workload.js';
import type { Bench } from './bench.js';

/** What one peer has shown so far in one case. */
interface Track {
  readonly peer: Peer;
  readonly rounds: Round[];
  mostInside: number;
  problem?: string;
}

const percentiles = [
  ['acquireP50Us', 'acquire', 0.5],
  ['acquireP99Us', 'acquire', 0.99],
  ['acquireP999Us', 'acquire', 0.999],
  ['handoffP50Us', 'handoff', 0.5],
  ['handoffP99Us', 'handoff', 0.99],
  ['handoffP999Us', 'handoff', 0.999],
] as const;

const present = <T>(values: readonly (T | undefined)[]): T[] => values.filter((value) => value !== undefined);

/** Medians with spread; percentiles from all rounds together. */
export function summarize(rounds: readonly Round[]): Partial<Record<Figure, Summary>> {
  const result: Partial<Record<Figure, Summary>> = {};
  const named = new Set(rounds.flatMap(({ figures }) => Object.keys(figures) as (keyof Figures)[]));
  for (const figure of named) result[figure] = summary(present(rounds.map(({ figures }) => figures[figure])));
  for (const [figure, of, share] of percentiles) {
    const histograms = present(rounds.map(({ latencies }) => latencies[of]));
    const all = Histogram.merged(histograms).percentile(share);
    if (all === undefined) continue;
    const each = present(histograms.map((histogram) => histogram.percentile(share)));
    result[figure] = { median: all, low: Math.min(all, ...each), high: Math.max(all, ...each) };
  }
  return result;
}

async function attempt(track: Track, body: () => Promise<void>): Promise<void> {
  if (track.problem !== undefined) return;
  try {
    await body();
  } catch (error) {
    const [firstLine = ''] = String(error).split('\n');
    track.problem = firstLine;
  }
}

const ratesOf = ({ rounds }: Track, rate: Figure | undefined): number[] =>
  rate === undefined ? [] : rounds.map(({ figures }) => figures[rate] ?? 0);

function bestOf(tracks: readonly Track[], rate: Figure | undefined): Track | undefined {
  const peers = tracks.filter(
    ({ peer, rounds, mostInside }) =>
      peer.kind === 'lock' && peer.name !== subject && rounds.length > 0 && mostInside <= 1,
  );
  const speed = (track: Track) => median(ratesOf(track, rate));
  return rate === undefined ? undefined : peers.toSorted((a, b) => speed(b) - speed(a))[0];
}

function resultOf(track: Track, tracks: readonly Track[], { rate, base }: Workload): PeerResult {
  const own = ratesOf(track, rate);
  const ratio = (other: Track | undefined) =>
    other === undefined ? undefined : pairedRatio(own, ratesOf(other, rate));
  const toBase = ratio(tracks.find(({ peer }) => peer.name === (track.peer.floor ?? base)));
  const toBestPeer = ratio(bestOf(tracks, rate));
  return {
    peer: track.peer.name,
    figures: summarize(track.rounds),
    ...(toBase !== undefined && { toBase }),
    ...(toBestPeer !== undefined && { toBestPeer }),
    mostInside: track.mostInside,
    failures: [...new Set(track.rounds.flatMap(({ failures }) => failures))].slice(0, 3),
    ...(track.problem !== undefined && { problem: track.problem }),
  };
}

/**
 * Measures all peers in one case: each prepares, then they take turns, in an order that changes with each round, so that what slows the
 * machine for a while slows nobody alone.
 */
export async function alternate(
  bench: Bench,
  plan: {
    workload: Workload;
    peers: readonly Peer[];
    rounds: number;
    onStep: (peer: string) => void;
    leftOut: (peer: Peer) => boolean;
  },
  testCase: Case,
): Promise<PeerResult[]> {
  const { workload, peers, onStep } = plan;
  const tracks: Track[] = peers.map((peer) => ({
    peer,
    rounds: [],
    mostInside: 1,
    ...(plan.leftOut(peer) && { problem: 'left out: failed in cases before' }),
  }));
  for (const track of tracks) {
    onStep(`${track.peer.name} prepares`);
    await attempt(track, async () => {
      const { mostInside } = await testCase.prepare(bench, track.peer);
      if (track.peer.kind !== 'sharing sibling') track.mostInside = mostInside;
    });
  }
  const rounds = roundsOf(testCase.rounds ?? workload.rounds, plan.rounds);
  for (let round = 0; round < rounds; round++) {
    const first = round % tracks.length;
    for (const track of [...tracks.slice(first), ...tracks.slice(0, first)]) {
      onStep(`${track.peer.name}, round ${round + 1} of ${rounds}`);
      await attempt(track, async () => {
        track.rounds.push(await testCase.measure(bench, track.peer));
      });
    }
  }
  return tracks.map((track) => resultOf(track, tracks, workload));
}
