/**
 * Leases kept alive: local deadlines on a monotonic clock, one timer, batched renewal. Knows leases, not locks, and nothing of Redis.
 *
 * @packageDocumentation
 */

export { Bag, type BagItem } from './bag.js';
export { type Clock, systemClock, type Timer } from './clock.js';
export { type HeapItem, IndexedHeap, UNPLACED } from './heap.js';
export type { Lease, LeaseListener, LeaseState, LeaseTerms, LossReason } from './lease.js';
export { setImmediate } from './real-turns.js';
export type { Renewal, RenewalOutcome, RenewalPort } from './renewal.js';
export { type Appointment, type Liveness, Schedule } from './schedule.js';
export { Watchdog, type WatchdogOptions } from './watchdog.js';
export type { SettledRenewal } from './watched-lease.js';
