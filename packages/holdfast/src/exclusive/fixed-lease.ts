import { failureError } from '../tenure/failures.js';
import { lastUntil } from '../tenure/hold-terms.js';
import type { HeldOutcome, Stake } from '../tenure/stake.js';
import type { HoldRecord } from './hold-record.js';
import { type ExclusiveLock, retune } from './lock.js';
import { withinResponseTimeout } from './within-response-timeout.js';

/**
 * Gives a hold that was renewed until now a fixed lease, which begins now. The only hold of its lock gets exactly that; one inside others
 * at least that, because those around it keep theirs.
 *
 * @throws LockLostError when it is lost; LockUnavailableError, LockRefusedError when Redis did not do it, and then the lease may be either.
 */
export async function fixLease(lock: ExclusiveLock, record: HoldRecord, leaseMs: number): Promise<void> {
  const { tenure, parts } = lock;
  if (tenure === undefined || record.lost) throw record.lossError();
  // It counts from now, not from when the hold began.
  lastUntil(record, parts.clock.now() + leaseMs);
  record.terms = { ...record.terms, mode: 'fixed', leaseMs, maxHoldMs: undefined };
  const change =
    lock.holds.depth === 1 ? tenure.steps.restart(leaseMs, () => retune(lock, tenure)) : raise(lock, tenure, leaseMs);
  const outcome = await withinResponseTimeout(change, tenure, parts);
  if (outcome.kind === 'lost') lock.change(() => tenure.lease.lose(outcome.reason));
  else if (outcome.kind !== 'held') throw failureError(lock, outcome);
  if (record.lost) throw record.lossError();
}

/** For holds inside others, at least. */
function raise(lock: ExclusiveLock, tenure: Stake, leaseMs: number): Promise<HeldOutcome> {
  retune(lock, tenure);
  return tenure.steps.raise(leaseMs);
}
