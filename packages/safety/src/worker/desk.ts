/** What a task works with, and what its rounds have in common. */
import { setImmediate as turn, setTimeout as pause } from 'node:timers/promises';
import type { LockClient, LockHandleOptions, RLock } from 'holdfast';
import type { SeededRandom } from '@holdfast/testkit';
import type { Circumstances, Journal, Open } from './journal.js';
import type { LockNames, Times, Workload } from './plan.js';

export interface Desk {
  readonly lock: (name: string, options?: LockHandleOptions) => RLock;
  /** Where there are other kinds of locks too. */
  readonly family: LockClient | undefined;
  readonly journal: Journal;
  readonly random: SeededRandom;
  readonly locks: LockNames;
  readonly times: Times;
  /** Name of the task, for explicit owners. */
  readonly task: string;
  readonly pace: 'quick' | 'slow';
  readonly workload: Workload;
  readonly stopping: () => boolean;
}

/** One round of one task. */
export type Pattern = (desk: Desk) => Promise<void>;

/** A desk with all kinds of locks. */
export interface FamilyDesk extends Desk {
  readonly client: LockClient;
}

/** No call waits for longer: so an epoch comes to its end. */
export const longestWaitMs = 4_000;

/** A new thread of work, at its outermost level. */
export const thread = ({ journal }: Desk, mode: string): Circumstances => ({
  mode,
  scope: journal.freshScope(),
  depth: 1,
});

/** Anything from nothing to three milliseconds; sometimes with a write to what is guarded. */
export async function shortWork({ journal, random }: Desk, open: Open): Promise<void> {
  const dice = random.next();
  if (dice < 0.1) await journal.store(open);
  else if (dice < 0.15) await pause(random.below(3) + 1);
  else if (dice < 0.5) await turn();
  if (dice > 0.9) journal.work(open);
}
