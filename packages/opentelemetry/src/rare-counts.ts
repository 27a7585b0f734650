/**
 * Counters of what is rare start at 0, before anything is counted. One that appears with its first event has not risen, as far as a monitoring
 * can tell, and where its process took the place of another that had counted as much, nothing has changed: no alert would see that event.
 */

import type { Attributes } from '@opentelemetry/api';
import type { LockDiagnostics, LockLimit, LockLostReason } from 'holdfast';
import { eventsOfClients, eventsOfLocks } from './events.js';
import type { Instruments } from './instruments.js';

/**
 * So many groups have them. Each has some twenty; a group function that gives too many groups must not fill the tables of the SDK with zeros, which
 * keep 2,000 for each instrument.
 */
const MOST_GROUPS = 100;

/** All there are: one that is added to holdfast does not compile until it is here. */
const reasons: Record<LockLostReason, 0> = {
  expired: 0,
  deleted: 0,
  taken: 0,
  'force-unlocked': 0,
  unreachable: 0,
  clock: 0,
  'max-hold': 0,
  'scope-ended': 0,
  closed: 0,
};
const limits: Record<LockLimit, 0> = { waiters: 0, locks: 0, depth: 0, leaseMs: 0 };
const leaks: Record<LockDiagnostics['holdfast:leak']['how'], 0> = { 'scope-ended': 0, collected: 0 };

/** Starts those that are of no group. */
export function startCounts({ events }: Instruments): void {
  for (const event of eventsOfClients) events.add(0, { 'holdfast.event': event });
}

const started = new WeakMap<Instruments, Set<Attributes[string]>>();

/** Starts those of a group when it is seen for the first time. @param lock - what is said of a lock of it. */
export function startCountsOf(meter: Instruments, lock: Attributes): void {
  const group = lock['holdfast.lock.group'];
  const groups = started.get(meter) ?? new Set();
  if (groups.has(group) || groups.size === MOST_GROUPS) return;
  started.set(meter, groups.add(group));
  for (const reason of Object.keys(reasons)) meter.losses.add(0, { ...lock, 'holdfast.loss.reason': reason });
  for (const limit of Object.keys(limits)) meter.refusals.add(0, { ...lock, 'holdfast.limit': limit });
  for (const how of Object.keys(leaks)) meter.leaks.add(0, { ...lock, 'holdfast.leak.how': how });
  for (const event of eventsOfLocks) meter.events.add(0, { ...lock, 'holdfast.event': event });
  meter.selfWaits.add(0, lock);
  meter.fenceRejections.add(0, lock);
}
