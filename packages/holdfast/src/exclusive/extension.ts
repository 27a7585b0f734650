import type { LockParts } from '../client-parts.js';
import { lastUntil } from '../tenure/hold-terms.js';
import { heed } from './change-outcome.js';
import type { HoldRecord } from './hold-record.js';
import { type ExclusiveLock, retune } from './lock.js';

/** @throws LockLimitError when that is longer than a lease may be, RangeError when it is longer than `maxHoldMs` allows. */
export function checkExtension({ limits, clock }: LockParts, record: HoldRecord, ms: number): void {
  limits.checkExtension(record, ms);
  const { name, since = 0, terms } = record;
  const leftMs = since + (terms.maxHoldMs ?? Infinity) - clock.now();
  if (ms > leftMs)
    throw new RangeError(
      `extend(): maxHoldMs ends this hold of "${name}" in ${Math.max(0, Math.floor(leftMs))} ms, before ${ms} ms`,
    );
}

/**
 * Raises the lease of the lock that `record` is a hold of, which is held now, to at least `ms` from now.
 *
 * @throws as {@link heed}; and as {@link checkExtension}: before anything is sent.
 */
export async function extend(lock: ExclusiveLock, record: HoldRecord, ms: number): Promise<void> {
  const { tenure, parts, holds } = lock;
  checkExtension(parts, record, ms);
  if (tenure === undefined || holds.relied === undefined) throw record.lossError();
  // Those around it and inside it have what it gets, and keep it. Whoever has the lock by the time of the answer does not.
  const { all } = holds;
  const until = parts.clock.now() + ms;
  const outcome = await tenure.steps.raise(ms);
  heed(lock, tenure, record, outcome);
  for (const one of all) lastUntil(one, until);
  if (lock.tenure === tenure) retune(lock, tenure);
}
