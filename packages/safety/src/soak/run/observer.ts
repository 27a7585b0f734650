/** Looks at all processes and the server while a run goes on, and keeps what they say. */

import type { Redis } from 'ioredis';
import { objectsAt } from '../judge/objects.js';
import { TurnBook } from '../judge/turns.js';
import type { LossOf, Moment } from '../result.js';
import type { Depth, Loss, Sample, TurnRecords } from '../worker/messages.js';
import { LoopWatch } from '../worker/loop-watch.js';
import { commandTotals, serverSample } from './server-state.js';
import type { Member } from './team.js';

/** What all processes together did since the last look. */
export interface Overview {
  readonly held: number;
  readonly waiting: number;
  readonly leaving: number;
  readonly rssBytes: number;
  /** The longest time any event loop stood still. */
  readonly stalledMs: number;
  readonly cpuUs: number;
  /** Of this process, which keeps the proxies. */
  readonly proxiesCpuUs: number;
  readonly scripts: number;
  readonly redisCpuUs: number;
  readonly atMs: number;
}

const QUIET_LOOKS = 3;

/** See the module comment. */
export class Observer {
  readonly turns = new TurnBook();
  readonly losses: LossOf[] = [];
  readonly failures: string[] = [];
  /** The longest time any event loop stood still. */
  longestStallMs = 0;
  /** Of this process: all connections go through it. */
  readonly #ownLoop = new LoopWatch();
  readonly #team: readonly Member[];
  readonly #admin: Redis;
  readonly #startedAt = performance.now();

  constructor(team: readonly Member[], admin: Redis) {
    this.#team = team;
    this.#admin = admin;
    this.#ownLoop.start();
  }

  /** A light look. */
  async overview(): Promise<Overview> {
    const glances = await Promise.all(this.#team.map(({ worker }) => worker.call('glance')));
    for (const [index, glance] of glances.entries()) this.note(index, glance);
    const { scripts, cpuUs: redisCpuUs } = await commandTotals(this.#admin);
    const sum = (of: (glance: (typeof glances)[number]) => number) => glances.reduce((all, one) => all + of(one), 0);
    const own = process.cpuUsage();
    const stalledMs = Math.max(this.#ownLoop.take(), ...glances.map((one) => one.stalledMs));
    this.longestStallMs = Math.max(this.longestStallMs, stalledMs);
    return {
      held: sum((one) => one.held),
      waiting: sum((one) => one.waiting),
      leaving: sum((one) => one.leaving),
      rssBytes: sum((one) => one.rssBytes),
      cpuUs: sum((one) => one.cpuUs),
      proxiesCpuUs: own.user + own.system,
      stalledMs,
      scripts,
      redisCpuUs,
      atMs: performance.now(),
    };
  }

  /** What stood still so far was to be expected. */
  async forgetStalls(): Promise<void> {
    await this.overview();
    this.longestStallMs = 0;
  }

  /** A close look: every process collects its garbage, one after the other, so that the others have the processors meanwhile. */
  async moment(depth: Depth): Promise<Moment> {
    const processes: Sample[] = [];
    for (const { worker } of this.#team) processes.push(await worker.call('sample', depth));
    const server = await serverSample(this.#admin);
    const totals = await commandTotals(this.#admin);
    return { minute: (performance.now() - this.#startedAt) / 60_000, processes, server, totals };
  }

  /** What is under way differs from look to look, and what stays is there at all of them: the look that finds the fewest objects. */
  async quietMoment(): Promise<Moment> {
    let fewest = await this.moment('objects');
    for (let look = 1; look < QUIET_LOOKS; look++) {
      const moment = await this.moment('objects');
      if (objectsAt(moment) < objectsAt(fewest)) fewest = moment;
    }
    return fewest;
  }

  note(process: number, seen: { turns: TurnRecords; losses: readonly Loss[]; failures: readonly string[] }): void {
    this.turns.add(process, seen.turns);
    const ownMs = this.#ownLoop.recent();
    this.losses.push(...seen.losses.map((loss) => ({ ...loss, process, stalledMs: Math.max(loss.stalledMs, ownMs) })));
    this.failures.push(...seen.failures);
  }
}
