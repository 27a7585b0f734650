/** The tasks of one worker: they go on round after round until they are told to stop, and then each has one last turn. */
import { setImmediate as turn } from 'node:timers/promises';
import { seededRandom } from '@holdfast/testkit';
import { type Connected, connect } from './connect.js';
import { Guard } from './guard.js';
import { Journal } from './journal.js';
import type { Desk } from './desk.js';
import { lastLatchOf, lastTurnOf, round } from './patterns.js';
import type { Settled, Tally, WorkerPlan } from './plan.js';
import { Recorder } from '../history/recorder.js';

/** How long a last turn may be waited for: what a crashed holder, dead waiters and a late reconnect cost together is less. */
const lastTurnMs = 20_000;

export class Crew {
  readonly #journal: Journal;
  readonly #recorder: Recorder;
  readonly #guard: Guard;
  readonly #connected: readonly Connected[];
  readonly #desks: readonly Desk[];
  readonly #rounds: readonly Promise<void>[];
  readonly #seat: WorkerPlan['seat'];
  #stopping = false;

  constructor(plan: WorkerPlan) {
    this.#seat = plan.seat;
    this.#recorder = new Recorder({ file: plan.historyFile, worker: plan.worker });
    this.#guard = new Guard(plan.guard);
    this.#journal = new Journal(this.#recorder, this.#guard);
    this.#connected = plan.clients.map((client) => connect(client, plan.times, () => undefined));
    this.#desks = this.#connected.flatMap(({ lock, family }, of) =>
      Array.from({ length: plan.clients[of]?.tasks ?? 0 }, (_, task) => ({
        lock,
        family,
        journal: this.#journal,
        random: seededRandom(plan.seed + 1_000 * of + task),
        locks: plan.locks,
        times: plan.times,
        task: `task-${of}-${task}`,
        workload: plan.workload,
        pace: task === 0 ? 'slow' : 'quick',
        stopping: () => this.#stopping,
      })),
    );
    this.#rounds = this.#desks.map((desk) => this.#work(desk));
  }

  tally(): Tally {
    const locals = this.#connected.map(({ client }) => client.stats().handoffs);
    const local = locals.reduce((sum, handoffs) => sum + handoffs.local + handoffs.passed, 0);
    return { ...this.#journal.tally, local };
  }

  strange(what: string): void {
    this.#journal.strange(what);
  }

  /** Ends the rounds, and gives each task one last turn at a lock that everybody wants. */
  async settle(): Promise<Settled> {
    this.#stopping = true;
    await Promise.all(this.#rounds);
    const refused: string[] = [];
    const turns = this.#desks.map(async (desk, index) => {
      const { journal } = desk;
      const startedAt = performance.now();
      const number = this.#seat.of * index + this.#seat.index;
      const { lock, ask, ...wish } = lastTurnOf(desk, number, lastTurnMs);
      const circumstances = { mode: 'last turn', scope: journal.freshScope(), depth: 1, ...wish };
      const open = await journal.acquire(lock, circumstances, ask, { waitMs: lastTurnMs });
      if (open === undefined) refused.push(`${lock.name} was not had in ${lastTurnMs / 1_000} s by ${desk.task}`);
      else await journal.release(open);
      const closed = await lastLatchOf(desk, number, lastTurnMs);
      if (closed !== undefined) refused.push(`${closed} did not open in ${lastTurnMs / 1_000} s for ${desk.task}`);
      return performance.now() - startedAt;
    });
    return { longestTurnMs: Math.max(0, ...(await Promise.all(turns))), refused };
  }

  /** Leaves nothing that keeps the process alive. */
  async close(): Promise<Tally> {
    const tally = this.tally();
    await Promise.all(this.#connected.map((connected) => connected.close()));
    this.#guard.close();
    this.#recorder.close();
    return { ...tally, strange: [...this.#journal.tally.strange] };
  }

  async #work(desk: Desk): Promise<void> {
    while (!this.#stopping) {
      try {
        await round(desk);
      } catch (error) {
        desk.journal.strange(`a round: ${error instanceof Error ? error.stack : String(error)}`);
      }
      await turn();
    }
  }
}
