import type { ClientParts } from '../client-parts.js';
import type { RequestOptions } from '../connection/pending-command.js';
import { MAX_TIME_MS } from '../options.js';

/** How long a late copy is still known for one, after the end of what it could be of use for. */
const TAIL_MS = 60_000;

/** How long late copies are barred for, should there be any. `longestMs`: of all the leases that a tenure ever asked for, or the time that a command has. */
export function barredForMs(longestMs: number): number {
  return Math.min(longestMs + TAIL_MS, MAX_TIME_MS);
}

/** What tells a request that is given up after `responseTimeoutMs` from its copies. */
export function newRequest(parts: ClientParts): { readonly request: string; readonly tombstoneMs: number } {
  return { request: parts.tenureId(undefined), tombstoneMs: barredForMs(parts.settings.responseTimeoutMs) };
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
