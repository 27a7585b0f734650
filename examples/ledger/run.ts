import { randomUUID } from 'node:crypto';
import { createLockClient, type LockClient, type LockClientStats } from 'holdfast';
import { Backlog } from './backlog.js';
import { type Crash, crash, crashHolding } from './crash.js';
import { Worker } from './crew.js';
import type { Transfer } from './csv.js';
import { type Account, Ledger } from './ledger.js';
import type { Progress } from './progress.js';
import { connect } from './redis.js';
import type { Outcome, Taken } from './transfer.js';

/** What is done in one run. */
export interface Plan {
  readonly transfers: readonly Transfer[];
  readonly guarding: 'locks' | 'no-locks';
  readonly workers: number;
  /** Whether a worker is killed half-way. */
  readonly crash: boolean;
}

/** What came out of it. */
export interface Result {
  readonly plan: Plan;
  readonly accounts: ReadonlyMap<string, Account>;
  readonly applied: number;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  readonly taken: readonly Taken[];
  readonly tookMs: number;
  readonly crash: Crash | undefined;
  /** Of the workers that lived to the end. */
  readonly stats: readonly LockClientStats[];
}

export const openingCents = 1_000_000;

/** Applies all transfers of the plan with worker processes, on accounts of its own, and leaves nothing in Redis. */
export async function run(plan: Plan, progress: Progress): Promise<Result> {
  const keyPrefix = `demo:${randomUUID().slice(0, 8)}:`;
  const accounts = [...new Set(plan.transfers.flatMap(({ from, to }) => [from, to]))].sort();
  const redis = connect(keyPrefix);
  const locks = createLockClient({ redis });
  const ledger = new Ledger(redis);
  const workers = Array.from({ length: plan.workers }, () => new Worker(keyPrefix, plan.guarding));
  try {
    await Promise.all([ledger.open(accounts, openingCents), ...workers.map((worker) => worker.ready())]);
    const work = await applyAll(plan, accounts, workers, locks, progress);
    await Promise.all(workers.map((worker) => worker.finish()));
    return {
      ...work,
      plan,
      accounts: await ledger.readAll(accounts),
      stats: workers.flatMap(({ stats }) => stats ?? []),
    };
  } finally {
    await Promise.all(workers.map((worker) => worker.kill()));
    await ledger.remove(accounts, plan.transfers);
    await locks.close();
    redis.disconnect();
  }
}

async function applyAll(
  plan: Plan,
  accounts: readonly string[],
  workers: readonly Worker[],
  locks: LockClient,
  progress: Progress,
): Promise<Pick<Result, 'applied' | 'outcomes' | 'taken' | 'tookMs' | 'crash'>> {
  const backlog = new Backlog(plan.transfers, workers);
  const stopShowing = progress.show(() => ({
    applied: backlog.applied,
    of: plan.transfers.length,
    busy: backlog.outcomes.busy,
    workers: workers.filter(({ alive }) => alive).length,
  }));
  const crashOne = async (): Promise<Crash | undefined> => {
    await backlog.halfWay;
    const [victim] = workers;
    if (!plan.crash || victim === undefined) return undefined;
    return plan.guarding === 'locks' ? crashHolding(victim, locks, accounts) : crash(victim);
  };
  try {
    const startedAt = performance.now();
    backlog.start();
    const [crashed] = await Promise.all([crashOne(), backlog.done]);
    const { applied, outcomes, taken } = backlog;
    return { applied, outcomes, taken, crash: crashed, tookMs: performance.now() - startedAt };
  } finally {
    stopShowing();
  }
}
