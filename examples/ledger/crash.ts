import type { LockClient } from 'holdfast';
import type { Worker } from './crew.js';
import { lockName } from './guard.js';
import type { Taken } from './transfer.js';

/** A worker that was killed in the middle of its work. */
export interface Crash {
  readonly atEpochMs: number;
  /** Accounts whose locks it was seen to have left behind, and when they were seen. */
  readonly orphaned: readonly string[];
  readonly seenAtEpochMs: number;
  /** Transfers it had not reported as settled. */
  readonly transfersInHand: number;
}

/** Ends a worker by SIGKILL: no handler runs, nothing is released. */
export async function crash(victim: Worker): Promise<Crash> {
  const dying = { atEpochMs: Date.now(), transfersInHand: victim.inHand.size };
  await victim.kill();
  return { ...dying, orphaned: [], seenAtEpochMs: Date.now() };
}

/** As {@link crash}, at a moment at which the worker holds locks. */
export async function crashHolding(victim: Worker, locks: LockClient, accounts: readonly string[]): Promise<Crash> {
  for (;;) {
    // Stopped, it can do nothing between our look at its locks and its end; it does not work from here on, so the clock runs.
    const atEpochMs = Date.now();
    victim.pause();
    const holdsSome = (await heldBy(victim, locks, accounts)).length > 0;
    if (holdsSome || victim.inHand.size === 0) {
      const died = await crash(victim);
      const orphaned = await heldBy(victim, locks, accounts);
      return { ...died, atEpochMs, orphaned, seenAtEpochMs: Date.now() };
    }
    victim.resume();
  }
}

/** How long after the crash each orphaned lock was taken by somebody else, in milliseconds, shortest first. */
export function recoveriesMs({ atEpochMs, orphaned, seenAtEpochMs }: Crash, taken: readonly Taken[]): number[] {
  return orphaned
    .flatMap((account) => {
      // Between the crash and that look others may have had it, before the queue in Redis came to the dead worker.
      const next = taken.filter((one) => one.account === account && one.atEpochMs > seenAtEpochMs);
      return next.length === 0 ? [] : [Math.min(...next.map((one) => one.atEpochMs)) - atEpochMs];
    })
    .sort((a, b) => a - b);
}

async function heldBy(worker: Worker, locks: LockClient, accounts: readonly string[]): Promise<string[]> {
  const inspections = await Promise.all(accounts.map((account) => locks.inspect(lockName(account))));
  return accounts.filter((_, index) => inspections[index]?.owner?.id.startsWith(`${worker.clientId}:`));
}
