/** What lease a tenure may have in Redis by what it has asked: Redis never shortens one for an ask. */

import type { Owned } from './operations.js';

/** The lease that it asked for last; undefined when that is not all that it may have. */
export type AskedMs = number | undefined;

/** What is answered is longer than what was asked for, and than a grant: an earlier ask, or an earlier copy of this one, has had it, and its answer was lost or came too late. */
export function withAnswer(askedMs: AskedMs, { kind, remainingMs }: Owned, claimLeaseMs: number): AskedMs {
  return kind === 'mine' && remainingMs > Math.max(askedMs ?? 0, claimLeaseMs) ? undefined : askedMs;
}

/** Whether a call that wants `leaseMs` has it. A grant is raised as soon as it is heard of; an ask that comes behind it may make it longer. */
export function suits(askedMs: AskedMs, leaseMs: number, how: 'asked' | 'granted'): boolean {
  return how === 'asked' ? askedMs === leaseMs : askedMs !== undefined && askedMs <= leaseMs;
}
