/**
 * An epoch: workers that start, work in peace for a moment, work under faults, have a last turn each when all is whole again, and end.
 * It closes in quiescence and its locks are its own, so its history can be judged, and thrown away, while the next one runs.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { nearNames, type SeededRandom, seededRandom } from '@holdfast/testkit';
import { type CampaignClass, chooseNemeses } from '../faults/catalogue.js';
import type { Address } from '../site/reach.js';
import { restoreServers, type Site } from '../site/site.js';
import { type LockNames, permitsIn, type Tally, type Times, type WorkerPlan, type Workload } from '../worker/plan.js';
import { quiescence } from './gates.js';
import { Harassment } from './harassment.js';
import { openLatches } from './latches.js';
import type { Network } from './network.js';
import { Operator } from './operator.js';
import { closePools } from './pools.js';
import { Seat, sumOf, type WorkerFiles } from './seat.js';

export interface EpochPlan {
  readonly seed: number;
  readonly className: CampaignClass;
  readonly seconds: number;
  readonly workload: Workload;
  /** Where histories go. */
  readonly folder: string;
}

/** What a run lends to its epochs. */
export interface Scene {
  readonly site: Site;
  readonly network: Network;
  readonly guard: Address;
  readonly workerFiles: WorkerFiles;
}

/** Before it is judged. */
export interface EpochOutcome {
  readonly calmRate: number;
  readonly nemeses: readonly string[];
  readonly tally: Tally;
  readonly faults: Readonly<Record<string, number>>;
  readonly missedStrikes: number;
  readonly longestLastTurnMs: number;
  readonly findings: readonly string[];
  /** Why it cannot count, if so. */
  readonly useless: string | undefined;
  /** Servers and network are as they were before it. */
  readonly isWhole: boolean;
}

/** Short leases: many renewals, and what takes a lease takes a moment. */
const times: Times = {
  watchdogTimeoutMs: 1_500,
  claimLeaseMs: 1_000,
  reaskMs: 400,
  attemptTimeoutMs: 400,
  responseTimeoutMs: 2_000,
};

/** Lease of a hold that the watchdog renews, in the workers. */
export const leaseMs = times.watchdogTimeoutMs;

/** The rate before any fault is that of one window; the first ones, in which everything is compiled, need not count. */
const calmWindowMs = 1_000;
const calmWindows = 8;
/** Below this before any fault, the machine or the workload is too slow for a run to mean something. */
export const leastCalmRate = 200;

/** A server is taken for dead after this. Where no failover is meant, none may happen. */
const patienceMs = { 'crash-and-network': 15_000, 'loss-of-data': 1_000, 'clock-jumps': 15_000 } as const;

/** Under constant fire only the simplest things happen; in quieter epochs there is time for the others. */
const intensities = [0.3, 0.6, 1];

/** How many names are made of one text: pairs, as with braces and without, would do. */
const NEAR = 3;

/** In the names of all locks of an epoch, and of no other one. */
const markOf = (seed: number): string => `faults:${seed}:`;

/** So many names, in groups that nearly collide. */
const namesOf = (seed: number, kind: string, count: number): string[] =>
  Array.from({ length: count }, (_, index) => nearNames(`${markOf(seed)}${kind}-${index}`).slice(0, NEAR))
    .flat()
    .slice(0, count);

const locksOf = (seed: number): LockNames => ({
  hot: namesOf(seed, 'hot', 6),
  calm: namesOf(seed, 'calm', 150),
  slow: namesOf(seed, 'slow', 6),
  shared: namesOf(seed, 'shared', 18),
  fair: namesOf(seed, 'fair', 9),
  elections: namesOf(seed, 'elections', 9),
  shares: namesOf(seed, 'shares', 9),
  pools: namesOf(seed, 'pools', 60),
  latches: namesOf(seed, 'latches', 12),
});

export class Epoch {
  readonly #scene: Scene;
  readonly #plan: EpochPlan;
  readonly #locks: LockNames;
  readonly #operator: Operator;
  readonly #seats: readonly Seat[];
  #harassment: Harassment | undefined;

  constructor(scene: Scene, plan: EpochPlan) {
    this.#scene = scene;
    this.#plan = plan;
    this.#locks = locksOf(plan.seed);
    mkdirSync(plan.folder, { recursive: true });
    this.#operator = new Operator(
      scene.site.connect(),
      join(plan.folder, 'operator.jsonl'),
      new Set(this.#locks.shared),
    );
    const { ioredis5, ioredis6 } = scene.workerFiles;
    this.#seats = scene.network.seats.map(
      (_, seat) => new Seat(seat % 2 === 0 ? ioredis6 : ioredis5, (life) => this.#workerPlan(seat, life)),
    );
  }

  /** So far. */
  get tally(): Tally {
    return sumOf(this.#seats.map((seat) => seat.tally));
  }

  get faults(): number {
    return this.#harassment?.total ?? 0;
  }

  /** Ends early when `enough` says so. */
  async run(enough: () => boolean): Promise<EpochOutcome> {
    try {
      return await this.#run(enough);
    } finally {
      await Promise.all(this.#seats.map((seat) => seat.stop()));
      await this.#operator.close();
    }
  }

  async #run(enough: () => boolean): Promise<EpochOutcome> {
    const { site, network } = this.#scene;
    const { className, seed, seconds } = this.#plan;
    await site.setPatience?.(patienceMs[className]);
    await site.whenReady();
    const mastersBefore = portsOf(await site.masters());
    await Promise.all(this.#seats.map((seat) => seat.start()));
    const calmRate = await this.#calmRate();

    const nemeses = chooseNemeses(seededRandom(seed), site.kind, className);
    const { hot, calm, slow, shared, fair, elections, shares, pools } = this.#locks;
    const locks = this.#plan.workload === 'permits' ? pools : [hot, calm, slow, shared, fair, elections, shares].flat();
    const ground = {
      site,
      paths: network.paths,
      seats: this.#seats,
      locks,
      times,
      operator: this.#operator,
      intensity: seededRandom(~seed).pick(intensities),
    };
    const harassment = new Harassment(ground, nemeses, seed);
    this.#harassment = harassment;
    const endsAt = performance.now() + seconds * 1_000;
    while (performance.now() < endsAt && !enough()) await sleep(100);
    const beyondHelp = await this.#mend(harassment);

    const { longestLastTurnMs, findings } = beyondHelp === undefined ? await this.#windUp() : this.#breakOff();
    const { strange } = this.tally;
    const mayMove = className === 'loss-of-data' || site.kind !== 'sentinel';
    const isMoved = beyondHelp === undefined && !mayMove && portsOf(await site.masters()) !== mastersBefore;
    return {
      calmRate,
      nemeses: nemeses.map(({ name }) => name),
      tally: this.tally,
      faults: { ...harassment.counts },
      missedStrikes: harassment.missed,
      longestLastTurnMs,
      findings: [...findings, ...strange],
      useless: beyondHelp ?? uselessness(calmRate, isMoved),
      isWhole: beyondHelp === undefined,
    };
  }

  /** Of the first window that is good enough, or of the best one. */
  async #calmRate(): Promise<number> {
    let best = 0;
    for (let window = 0; window < calmWindows && best < leastCalmRate; window++) {
      const [before, startedAt] = [this.tally.holds, performance.now()];
      await sleep(calmWindowMs);
      best = Math.max(best, ((this.tally.holds - before) / (performance.now() - startedAt)) * 1_000);
    }
    return best;
  }

  /** Brings all faults to an end, and says why not, if the servers are beyond help: what happened before that is judged all the same. */
  async #mend(harassment: Harassment): Promise<string | undefined> {
    try {
      await harassment.end();
      await this.#heal();
      return undefined;
    } catch (error) {
      return `the servers did not recover: ${error instanceof Error ? error.message : String(error)}`;
    }
  }

  /** Strikes have healed what they broke; this is for the network and the workers of those that were cut short by another one, and for clocks. */
  async #heal(): Promise<void> {
    const { site, network } = this.#scene;
    await network.heal();
    for (const seat of this.#seats) seat.thaw();
    if (site.clock !== undefined && site.clock.lagMs > 0) {
      // It ends leases like any other jump.
      const target = `${site.clock.lagMs} ms, the last one`;
      this.#operator.note({ code: 'clock-jump', state: 'on', target });
      site.clock.heal();
      this.#operator.note({ code: 'clock-jump', state: 'off', target });
    }
    await restoreServers(site);
  }

  async #windUp(): Promise<{ longestLastTurnMs: number; findings: string[] }> {
    const turns = await Promise.allSettled(this.#seats.map((seat) => seat.settle()));
    const settled = turns.flatMap((turn) => (turn.status === 'fulfilled' ? [turn.value] : []));
    const hung = turns.flatMap((turn) => (turn.status === 'rejected' ? [String(turn.reason)] : []));
    const ends = await Promise.all(this.#seats.map((seat) => seat.close()));
    const unbalanced = this.#plan.workload === 'permits' ? await this.#closeCounters() : [];
    const left = await quiescence(this.#scene.site, markOf(this.#plan.seed));
    return {
      longestLastTurnMs: Math.max(0, ...settled.map(({ longestTurnMs }) => longestTurnMs)),
      findings: [...settled.flatMap(({ refused }) => refused), ...hung, ...ends.flat(), ...unbalanced, ...left],
    };
  }

  async #closeCounters(): Promise<string[]> {
    const redis = this.#scene.site.connect();
    try {
      await openLatches(redis, this.#locks.latches);
      return await closePools(
        redis,
        this.#locks.pools.map((name) => ({ name, inAll: permitsIn(this.#locks, name) })),
      );
    } finally {
      redis.disconnect();
    }
  }

  /** There is nothing left to have a turn on: workers are killed in the middle of what they do. */
  #breakOff(): { longestLastTurnMs: number; findings: string[] } {
    for (const { name } of this.#seats) this.#operator.note({ code: 'sigkill', state: 'once', target: name });
    return { longestLastTurnMs: 0, findings: [] };
  }

  #workerPlan(seat: number, life: number): WorkerPlan {
    const { seed, folder, workload } = this.#plan;
    const { network, guard } = this.#scene;
    const worker = `w${seat}.${life}`;
    const random: SeededRandom = seededRandom(seed + 7_919 * seat + 104_729 * life);
    return {
      worker,
      seat: { index: seat, of: network.seats.length },
      seed: random.below(2 ** 31),
      historyFile: join(folder, `${worker}.jsonl`),
      clients: (network.seats[seat] ?? []).map(({ reach }, client) => ({
        reach,
        ownership: (seat + client) % 2 === 0 ? 'ours' : 'yours',
        tasks: random.below(5) + 4,
      })),
      locks: this.#locks,
      guard,
      times,
      workload,
    };
  }
}

const portsOf = (servers: readonly { readonly port: number }[]): string =>
  servers
    .map(({ port }) => port)
    .sort((a, b) => a - b)
    .join();

function uselessness(calmRate: number, isMoved: boolean): string | undefined {
  if (calmRate < leastCalmRate) return `${Math.round(calmRate)} holds/s before any fault, fewer than ${leastCalmRate}`;
  return isMoved ? 'a failover happened that was not meant: the data may have changed' : undefined;
}
