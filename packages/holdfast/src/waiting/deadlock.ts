/**
 * Finds the call that closes a circle: it is inside a hold that another call waits for, which is inside a hold that ... the first one waits for. None of them
 * can go on, so no deadline of Redis will ever part them: their leases are renewed.
 *
 *      waits for             a call that stands in a queue waits for each hold of that name which it is not inside of. Readers do not wait for readers
 *      is inside of          a hold that ends with a scope ends after all that was called in that scope: a section, a `lock()` inside `client.run`,
 *                            and the members that a multi-lock has already while it waits for the next
 *
 * A circle is closed by a call that begins to wait, for what is held here is held by code that ran before. So there is no graph to keep: the edges are read off
 * the queues and the scopes at that moment, and only for a call that is inside a hold, and waits for one of this client. A call that gets its lock, or
 * is inside none, pays for none of it.
 *
 * What may end by itself closes no circle: a call with `waitMs` or a number of attempts; and a hold that any code may release (`acquire()`, `lock()` outside
 * `client.run`) says nothing of when it ends. An abort signal is no end. What cannot be known is whether a scope awaits what was called in it:
 * work that it only started counts as awaited.
 */

import type { LockParts } from '../client-parts.js';
import { type DeadlockWait, LockDeadlockError } from '../errors.js';
import { none } from '../lists.js';
import { CALLERS, Site } from '../reports/site.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import type { LockHome } from '../exclusive/lock.js';
import { innermostLive } from '../exclusive/reentry.js';
import type { AcquireRequest, Waiter } from './waiter.js';

/** How many waiting calls are looked at before the search is given up: it must not stand in the way of a crowd. */
const MOST_LOOKS = 10_000;

/** `hold` is waited for; `by` is inside of it, and waits for the hold of `next`, or closes the circle. */
interface Link {
  readonly hold: HoldRecord;
  readonly by: Waiter;
  readonly next: Link | undefined;
}

/** What is known of a call that is about to wait. `asks`: nobody here holds the lock. */
export type Verdict = 'asks' | 'waits' | 'waits for ever' | 'refused';

/** Looks whether the call closes a circle, and tells of it. To be called where the call was made. */
export function judge(waiter: Waiter, home: LockHome, { reporter, settings }: LockParts): Verdict {
  const held = home.heldHere(waiter.name);
  if (held.length === 0) return 'asks';
  const waits = circleClosedBy(waiter, held, home);
  if (waits === undefined) return 'waits';
  const isRefused = settings.deadlocks === 'refuse';
  reporter.deadlock(waiter.request, waits, isRefused ? 'refused' : 'waits');
  if (!isRefused) return 'waits for ever';
  waiter.refuse(new LockDeadlockError(waiter.name, waits));
  return 'refused';
}

/** The circle that the call closes if it waits, beginning with itself. */
function circleClosedBy(
  waiter: Waiter,
  held: readonly HoldRecord[],
  home: LockHome,
): readonly DeadlockWait[] | undefined {
  if (!waitsWithoutEnd(waiter)) return undefined;
  const inside = holdsAround(waiter.request);
  if (inside.length === 0) return undefined;
  const wanted = held.filter((hold) => keepsOut(hold, waiter.request));
  if (wanted.length === 0) return undefined;
  const links: Link[] = inside.map((hold) => ({ hold, by: waiter, next: undefined }));
  const seen = new Set(inside);
  let looks = 0;
  for (const link of links) {
    for (const other of home.waitingHere(link.hold.name)) {
      if (++looks > MOST_LOOKS) return undefined;
      if (!waitsWithoutEnd(other) || !keepsOut(link.hold, other.request)) continue;
      for (const hold of holdsAround(other.request)) {
        if (wanted.includes(hold)) return circle(waiter, hold, { hold: link.hold, by: other, next: link });
        if (seen.has(hold)) continue;
        seen.add(hold);
        links.push({ hold, by: other, next: link });
      }
    }
  }
  return undefined;
}

/** `first` waits for `hold`, which `last.by` is inside of. */
function circle(first: Waiter, hold: HoldRecord, last: Link): readonly DeadlockWait[] {
  const { request } = first;
  const site = request.site ?? new Site(request.entry, CALLERS);
  const waits: DeadlockWait[] = [{ name: request.name, site: site.text, holderSite: hold.site?.text }];
  for (let link: Link | undefined = last; link?.next !== undefined; link = link.next) {
    const { by, next } = link;
    waits.push({ name: by.name, site: by.request.site?.text, holderSite: next.hold.site?.text });
  }
  return waits;
}

const waitsWithoutEnd = ({ request }: Waiter): boolean =>
  request.waitMs === undefined && request.maxAttempts === undefined;

/** The call has to wait for this hold to end. */
function keepsOut(hold: HoldRecord, request: AcquireRequest): boolean {
  if (hold.name !== request.name) return false;
  if (hold.side === 'read' && request.side === 'read') return false;
  for (let scope = innermostLive(request); scope !== undefined; scope = scope.parent) {
    if (scope.holds.has(hold)) return false;
  }
  return true;
}

/** The holds that cannot end before the call does. */
function holdsAround(request: AcquireRequest): readonly HoldRecord[] {
  let around = request.membersHeld ?? none;
  for (let scope = innermostLive(request); scope !== undefined; scope = scope.parent) {
    // Holds of a scope belong to its client, and so to this copy of the library.
    const ending = ([...scope.holds] as HoldRecord[]).filter(({ kind }) => kind !== 'object');
    if (ending.length > 0) around = [...around, ...ending];
  }
  return around;
}
