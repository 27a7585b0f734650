import { failureError } from '../tenure/failures.js';
import type { HeldOutcome, Stake } from '../tenure/stake.js';
import type { HoldRecord } from './hold-record.js';
import type { ExclusiveLock } from './lock.js';

/**
 * What a change of the lease, or of what is held, came to for the hold that asked for it.
 *
 * @throws LockLostError when it is lost; LockUnavailableError, LockRefusedError when Redis did not do it, as far as is known.
 */
export function heed(lock: ExclusiveLock, tenure: Stake, record: HoldRecord, outcome: HeldOutcome): void {
  if (outcome.kind === 'lost') lock.change(() => tenure.lease.lose(outcome.reason));
  else if (outcome.kind !== 'held' && !record.lost) throw failureError(lock, outcome);
  if (record.lost) throw record.lossError();
}
