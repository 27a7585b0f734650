import { MAX_TIME_MS } from '../options.js';

/** How long after the end of the lease a late copy is still refused. */
const TOMBSTONE_TAIL_MS = 60_000;

/** How long late copies of a tenure are barred for, should there be any. `longestLeaseMs`: of all the leases that it ever asked for. */
export function barredForMs(longestLeaseMs: number): number {
  return Math.min(longestLeaseMs + TOMBSTONE_TAIL_MS, MAX_TIME_MS);
}

/** How long a lease may last that a command has begun without our knowing. `claimLeaseMs`: what a grant lasts for. */
export function longestUnknownLeaseMs(longestLeaseMs: number, claimLeaseMs: number): number {
  return Math.max(longestLeaseMs, claimLeaseMs) + claimLeaseMs;
}
