/** One run on one topology: epoch after epoch until it has what it was asked for. */
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '@holdfast/testkit';
import { faultClasses } from '../check/fault-classes.js';
import { type CampaignClass, classesOn } from '../faults/catalogue.js';
import type { Site, Topology } from '../site/site.js';
import type { Orders } from './command-line.js';
import { Epoch, type EpochOutcome, type Scene } from './epoch.js';
import { APPEND_ONLY, judge } from './judging.js';
import { type EpochResult, faultsOf } from './result.js';
import { type Places, Stage } from './stage.js';

/** Told what happens. */
export interface Audience {
  /** Now and then. */
  onProgress(text: string): void;
  /** `histories`: the folder in which they are, unless they were not worth keeping. */
  onEpoch(result: EpochResult, histories: string): void;
}

const progressMs = 5_000;
/** In a row. */
const mostFailures = 3;

/** What an epoch of the same seed left behind, because something was violated there, stays for whoever looks for the cause. */
function unusedFolder(path: string): string {
  let free = path;
  for (let again = 2; existsSync(free); again++) free = `${path}-${again}`;
  return free;
}

function classFor(seed: number, site: Site): CampaignClass {
  const random = seededRandom(seed ^ 0x5bd1e995);
  const others = classesOn(site.kind).filter((name) => name !== 'clock-jumps' || site.clock !== undefined);
  // Where everything must hold is where bugs show best.
  return random.next() < 0.5 ? 'crash-and-network' : random.pick(others);
}

export class Run {
  readonly #orders: Orders;
  readonly #places: Places;
  readonly #audience: Audience;
  readonly #topology: Topology;
  readonly #results: EpochResult[] = [];
  readonly #verdicts = new Set<Promise<void>>();
  readonly #startedAt = performance.now();
  #last: Epoch | undefined;

  constructor(topology: Topology, orders: Orders, places: Places, audience: Audience) {
    this.#topology = topology;
    this.#orders = orders;
    this.#places = places;
    this.#audience = audience;
  }

  /** Resolves with the results of all epochs. Servers that do not recover are replaced, so that a long run goes on without anybody. */
  async run(): Promise<readonly EpochResult[]> {
    let stage = await Stage.open(this.#topology, this.#places);
    let failures = 0;
    try {
      for (let index = 0; index < this.#orders.epochsOn(this.#topology); index++) {
        // Whether the last epoch counts is not known before it is judged.
        if (this.#isEnough(this.#last)) await Promise.all(this.#verdicts);
        if (this.#isEnough()) break;
        if (await this.#survives(stage, this.#orders.seedOf(index))) {
          failures = 0;
          continue;
        }
        if (++failures === mostFailures)
          throw new Error(`${mostFailures} epochs in a row whose servers did not recover`);
        await stage.close();
        stage = await Stage.open(this.#topology, this.#places);
      }
      await Promise.all(this.#verdicts);
    } finally {
      await stage.close();
    }
    return this.#results;
  }

  /** False when the stage is not fit for another epoch. */
  async #survives(stage: Stage, seed: number): Promise<boolean> {
    try {
      await stage.clear();
      return await this.#epoch(stage.scene, seed);
    } catch (error) {
      this.#audience.onProgress(`an epoch came to nothing: ${error instanceof Error ? error.stack : String(error)}`);
      return false;
    }
  }

  async #epoch(scene: Scene, seed: number): Promise<boolean> {
    const className = this.#orders.className ?? classFor(seed, scene.site);
    const folder = unusedFolder(join(this.#places.scratch, `${this.#topology}-${seed}`));
    const epoch = new Epoch(scene, {
      seed,
      className,
      seconds: this.#orders.epochSeconds,
      workload: this.#orders.workload,
      folder,
    });
    this.#last = epoch;
    // Where locks are taken away, what servers did is not judged.
    const files = faultClasses[className].exclusion.kind === 'always' ? scene.site.appendOnly : [];
    await Promise.all(files.map((file) => file.begin()));
    const startedAt = performance.now();
    const progress = setInterval(() => this.#report(epoch, className, seed), progressMs);
    let outcome: EpochOutcome;
    try {
      outcome = await epoch.run(() => this.#isEnough(epoch));
    } finally {
      clearInterval(progress);
    }
    const seconds = (performance.now() - startedAt) / 1_000;
    // Servers begin their files anew with the next epoch, before this one is judged.
    await Promise.all(files.map((file, number) => file.copyTo(join(folder, APPEND_ONLY, String(number)))));
    // One verdict behind at most: histories must not pile up.
    await Promise.all(this.#verdicts);
    const verdict: Promise<void> = this.#judge(outcome, { seed, className, folder, seconds }).finally(() =>
      this.#verdicts.delete(verdict),
    );
    this.#verdicts.add(verdict);
    return outcome.isWhole;
  }

  async #judge(
    outcome: EpochOutcome,
    { seed, className, folder, seconds }: { seed: number; className: CampaignClass; folder: string; seconds: number },
  ): Promise<void> {
    const judgement = await judge(this.#places.judgeFile, folder, className).catch((error: unknown) => ({
      events: 0,
      crossProcess: 0,
      updates: 0,
      staleUpdates: 0,
      holdsByKind: {},
      violations: [`the judge failed: ${String(error)}`],
    }));
    const { calmRate, nemeses, tally, faults, missedStrikes, longestLastTurnMs, useless } = outcome;
    const { violations, ...counted } = judgement;
    const wrong = [...violations, ...outcome.findings];
    const result: EpochResult = {
      at: new Date().toISOString(),
      commit: this.#places.commit,
      topology: this.#topology,
      className,
      workload: this.#orders.workload,
      seed,
      seconds: Math.round(seconds * 10) / 10,
      nemeses,
      calmRate: Math.round(calmRate),
      holds: tally.holds,
      local: tally.local,
      reentries: tally.reentries,
      misses: tally.misses,
      losses: tally.losses,
      faults,
      missedStrikes,
      longestLastTurnMs: Math.round(longestLastTurnMs),
      ...counted,
      verdict: wrong.length > 0 ? 'violated' : useless === undefined ? 'passed' : 'counts for nothing',
      findings: [...wrong, ...(useless === undefined ? [] : [useless])],
    };
    if (wrong.length === 0 && this.#orders.keep === 'violations') rmSync(folder, { recursive: true, force: true });
    this.#results.push(result);
    this.#audience.onEpoch(result, folder);
  }

  #done(epoch?: Epoch): { holds: number; faults: number } {
    const counting = this.#results.filter(({ verdict }) => verdict !== 'counts for nothing');
    return {
      holds: counting.reduce((sum, { holds }) => sum + holds, epoch?.tally.holds ?? 0),
      faults: counting.reduce((sum, result) => sum + faultsOf(result), epoch?.faults ?? 0),
    };
  }

  #isEnough(epoch?: Epoch): boolean {
    const { holds, faults } = this.#done(epoch);
    const { minutes, until } = this.#orders;
    return (
      (until === 'violation' && this.#results.some(({ verdict }) => verdict === 'violated')) ||
      (holds >= this.#orders.holds && faults >= this.#orders.faults) ||
      performance.now() - this.#startedAt >= minutes * 60_000
    );
  }

  #report(epoch: Epoch, className: CampaignClass, seed: number): void {
    const { holds, faults } = this.#done(epoch);
    const violated = this.#results.filter(({ verdict }) => verdict === 'violated').length;
    const elapsed = Math.round((performance.now() - this.#startedAt) / 1_000);
    this.#audience.onProgress(
      `${this.#topology} ${elapsed} s: ${holds} holds, ${faults} faults, ${violated} of ${this.#results.length} epochs violated; now ${className}, seed ${seed}`,
    );
  }
}
