import { lastUntil } from '../tenure/hold-terms.js';
import type { HeldOutcome, Stake } from '../tenure/stake.js';
import { heed } from './change-outcome.js';
import type { HoldRecord } from './hold-record.js';
import { type ExclusiveLock, retune } from './lock.js';
import { withinResponseTimeout } from './within-response-timeout.js';

/**
 * Gives a hold that was renewed until now a fixed lease, which begins now. The only hold of its lock gets exactly that; one inside others
 * at least that, because those around it keep theirs.
 *
 * @throws as {@link heed}: when Redis did not do it the lease may be either.
 */
export async function fixLease(lock: ExclusiveLock, record: HoldRecord, leaseMs: number): Promise<void> {
  const { tenure, parts } = lock;
  if (tenure === undefined || record.lost) throw record.lossError();
  // It counts from now, not from when the hold began.
  lastUntil(record, parts.clock.now() + leaseMs);
  record.terms = { ...record.terms, mode: 'fixed', leaseMs, maxHoldMs: undefined };
  const change =
    lock.holds.depth === 1 ? tenure.steps.restart(leaseMs, () => retune(lock, tenure)) : raise(lock, tenure, leaseMs);
  heed(lock, tenure, record, await withinResponseTimeout(change, tenure, parts));
}

/** For holds inside others, at least. */
function raise(lock: ExclusiveLock, tenure: Stake, leaseMs: number): Promise<HeldOutcome> {
  retune(lock, tenure);
  return tenure.steps.raise(leaseMs);
}
