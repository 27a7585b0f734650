/** What lease a tenure may have in Redis by what it has asked: Redis never shortens one for an ask. */

import type { Demand } from './demand.js';
import { CLOCK_GRAIN_MS } from './messages.js';
import type { Owned } from './operations.js';

/** The lease that it asked for last; undefined when that is not all that it may have. */
export type AskedMs = number | undefined;

/** What is answered is longer than what was asked for: an earlier ask, or an earlier copy of this one, has had it, or was granted it, and that was not heard of or came too late. */
export function withAnswer(askedMs: AskedMs, { kind, remainingMs }: Owned): AskedMs {
  return kind === 'mine' && remainingMs > (askedMs ?? 0) ? undefined : askedMs;
}

/** One that lasts longer than the `next` call wants was made before Redis knew that this call comes next: with the lease of one that has gone. */
export function withGrant(askedMs: AskedMs, grantedMs: number, next: Demand | undefined): AskedMs {
  return next !== undefined && grantedMs <= next.terms.leaseMs + CLOCK_GRAIN_MS ? askedMs : undefined;
}

/** Whether a call that wants `leaseMs` has it. A grant is raised as soon as it is heard of; an ask that comes behind it may make it longer. */
export function suits(askedMs: AskedMs, leaseMs: number, how: 'asked' | 'granted'): boolean {
  return how === 'asked' ? askedMs === leaseMs : askedMs !== undefined && askedMs <= leaseMs;
}
