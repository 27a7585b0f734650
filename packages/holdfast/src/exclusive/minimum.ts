import type { HoldRecord } from './hold-record.js';
import type { ExclusiveLock } from './lock.js';

/** Until when a lock stays taken for the sake of a hold that ends, and of those `before` it. A call that waits for more has no hold yet. */
export function keptFor(
  { since, gathering, terms: { minHoldMs } }: HoldRecord,
  before: number | undefined,
): number | undefined {
  if (since === undefined || minHoldMs === undefined || gathering) return before;
  return Math.max(since + minHoldMs, before ?? since);
}

/** Until when it stays taken when all its holds end now. Before they are closed. */
export function keptForAll({ holds, keptUntil }: ExclusiveLock): number | undefined {
  let until = keptUntil;
  for (const record of holds) until = keptFor(record, until);
  return until;
}

/** Its own alone: the lock may be kept for the sake of others. */
export function forgetMinimum(record: Pick<HoldRecord, 'terms'>): void {
  record.terms = { ...record.terms, minHoldMs: undefined };
}
