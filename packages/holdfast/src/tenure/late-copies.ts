import type { RequestOptions } from '../connection/pending-command.js';
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

/**
 * How that is sent which undoes a tenure: until no lease of it can be left; where a copy is in doubt, which may begin one later, until it is answered or the copy
 * is barred no more. A server that stood still reads what lies in its connections before it learns that they have ended.
 *
 * In full: the client may be closed before its answer comes, or its process end, and nobody would hear that the script is unknown there.
 */
export function undoingAt(
  now: number,
  { inDoubt }: { readonly inDoubt: boolean },
  { longestMs, claimMs }: { readonly longestMs: number; readonly claimMs: number },
): RequestOptions<never> {
  const form = 'in full';
  return inDoubt
    ? { goOnMs: barredForMs(longestMs), form }
    : { until: now + longestUnknownLeaseMs(longestMs, claimMs), form };
}
