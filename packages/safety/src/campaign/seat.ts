/** A seat in the team: one worker process after another, since nemeses kill them. */
import { fork } from 'node:child_process';
import { TestWorker, whenThisProcessEnds } from '@holdfast/testkit';
import type { Victim } from '../faults/nemesis.js';
import type { Settled, Tally, WorkerPlan } from '../worker/plan.js';
import type { methods } from '../worker/worker.js';

/** What a worker is started from: bundles, since plain TypeScript would be slow. */
export interface WorkerFiles {
  readonly ioredis6: string;
  readonly ioredis5: string;
}

/** Makes the plan of each life. */
export type Planner = (life: number) => WorkerPlan;

const none: Tally = { holds: 0, local: 0, reentries: 0, misses: 0, losses: 0, strange: [] };

const add = (a: Tally, b: Tally): Tally => ({
  holds: a.holds + b.holds,
  local: a.local + b.local,
  reentries: a.reentries + b.reentries,
  misses: a.misses + b.misses,
  losses: a.losses + b.losses,
  strange: [...a.strange, ...b.strange],
});

export const sumOf = (tallies: readonly Tally[]): Tally => tallies.reduce(add, none);

/** Rejects when `promise` takes too long: whatever hangs is a finding, not a reason to wait. */
async function within<T>(ms: number, what: string, promise: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what}: not within ${ms / 1_000} s`)), ms);
  });
  return Promise.race([promise, limit]).finally(() => clearTimeout(timer));
}

const settleLimitMs = 60_000;
const closeLimitMs = 20_000;
const exitLimitMs = 10_000;

export class Seat implements Victim {
  readonly #file: string;
  readonly #planner: Planner;
  #life = 0;
  #former: Tally = none;
  #worker: TestWorker<typeof methods> | undefined;
  #name = '';
  #final: Tally | undefined;

  constructor(file: string, planner: Planner) {
    this.#file = file;
    this.#planner = planner;
  }

  get name(): string {
    return this.#name;
  }

  get tally(): Tally {
    return add(this.#former, this.#final ?? this.#latest());
  }

  /** Starts a life. Resolves when its tasks have begun. */
  async start(): Promise<void> {
    const plan = this.#planner(++this.#life);
    const child = fork(this.#file, { silent: true });
    // A stopped process cannot end itself when its parent does.
    const unguard = whenThisProcessEnds('kill -9 "$1"', String(child.pid));
    const worker = new TestWorker<typeof methods>(child);
    void worker.exited.then(unguard);
    this.#worker = worker;
    this.#name = plan.worker;
    await worker.ready;
    await worker.call('begin', plan);
  }

  freeze(): void {
    this.#worker?.kill('SIGSTOP');
  }

  thaw(): void {
    this.#worker?.kill('SIGCONT');
  }

  async replace(): Promise<void> {
    const worker = this.#worker;
    await worker?.stop();
    this.#former = add(this.#former, this.#latest());
    await this.start();
  }

  async stall(ms: number): Promise<void> {
    // It may be killed meanwhile.
    await this.#worker?.call('stall', ms).catch(() => undefined);
  }

  settle(): Promise<Settled> {
    return within(settleLimitMs, `last turns of ${this.#name}`, this.#present.call('settle'));
  }

  /** Ends the worker by its own means. Answers what is wrong with how it ended. */
  async close(): Promise<readonly string[]> {
    const worker = this.#present;
    try {
      this.#final = await within(closeLimitMs, `${this.#name} closes its clients`, worker.call('close'));
      const { code, signal } = await within(exitLimitMs, `${this.#name} exits`, worker.finish());
      return code === 0 ? [] : [`${this.#name} ended with ${signal ?? `code ${code}`}: ${worker.output}`];
    } catch (error) {
      return [String(error)];
    } finally {
      await worker.stop();
    }
  }

  async stop(): Promise<void> {
    await this.#worker?.stop();
  }

  get #present(): TestWorker<typeof methods> {
    if (this.#worker === undefined) throw new Error('the seat is empty');
    return this.#worker;
  }

  #latest(): Tally {
    const latest = this.#worker?.events.findLast(({ event }) => event === 'tally');
    return latest === undefined ? none : (latest.data as Tally);
  }
}
