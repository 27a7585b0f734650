/**
 * Finds the call that closes a circle: it is inside a hold that another call waits for, which is inside a hold that ... the first one waits for. None of them
 * can go on, so none will give its lock back: their leases are renewed, for ever or up to `maxHoldMs`, which parts them by a loss.
 *
 *      waits for             a call that stands in a queue waits for each hold of that name which it is not inside of, and for one of another kind
 *                            of lock in any case, since it cannot re-enter that. Readers do not wait for readers,
 *                            but one that comes while a writer stands in line waits, behind it, for the readers that were in by then
 *      is inside of          a hold that ends with a scope ends after all that was called in that scope: a section, a `lock()` inside `client.run`,
 *                            and the members that a multi-lock has already while it waits for the next
 *
 * A circle is closed by a call that begins to wait, for what is held here is held by code that ran before. So there is no graph to keep: the edges are read off
 * the queues and the scopes at that moment, and only for a call that is inside a hold, and waits for one of this client. A call that gets its lock, or
 * is inside none, pays for none of it.
 *
 * What may end by itself closes no circle: a call with `waitMs` or a number of attempts; a hold with a lease that is not renewed.
 * Nor does a hold that is lost or was given back, which its scope knows until that ends. A hold that any code may release (`acquire()`, `lock()` outside
 * `client.run`) says nothing of when it ends. An abort signal is no end. What cannot be known is whether a scope awaits what was called in it:
 * work that it only started counts as awaited.
 *
 * Behind whom a reader stands is looked at when its lane takes its place: when it begins to ask, and again where a later ask takes the place, because an
 * earlier one could take none; then the answer that keeps it out is what closes a circle. One that joins a lane which asks already has the place of that one, which may
 * have been let in with the readers that are in, and not have been told yet. So a hold that is told later keeps no such reader out, nor does a writer without a
 * place in line.
 */

import type { LockParts } from '../client-parts.js';
import { type DeadlockWait, LockDeadlockError } from '../errors.js';
import { none } from '../lists.js';
import { CALLERS, Site } from '../reports/site.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import type { LockHome } from '../exclusive/lock.js';
import { heldAround, scopesAround } from '../scopes/scope.js';
import { isSameLock } from '../tenure/operations.js';
import type { AcquireRequest, PlaceBehind, Waiter } from './waiter.js';

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
export function judge(waiter: Waiter, home: LockHome, parts: LockParts): Verdict {
  return verdictOn(waiter, home, parts, () => waiter.request.site ?? new Site(waiter.request.entry, CALLERS));
}

/** The same of a call that waits, and has come to stand behind another. */
export function judgeAnew(waiter: Waiter, home: LockHome, parts: LockParts): void {
  verdictOn(waiter, home, parts, () => waiter.request.site);
}

function verdictOn(
  waiter: Waiter,
  home: LockHome,
  { reporter, settings }: LockParts,
  siteOf: () => Site | undefined,
): Verdict {
  const held = home.heldHere(waiter.name);
  if (held.length === 0) return 'asks';
  const circle = circleClosedBy(waiter, held, home);
  if (circle === undefined) return 'waits';
  const waits = waitsOf(waiter, circle, siteOf());
  const isRefused = settings.deadlocks === 'refuse';
  reporter.deadlock(waiter.request, waits, isRefused ? 'refused' : 'waits');
  if (!isRefused) return 'waits for ever';
  waiter.refuse(new LockDeadlockError(waiter.name, waits));
  return 'refused';
}

/** The circle that the call closes if it waits: the first link holds what it waits for. */
function circleClosedBy(waiter: Waiter, held: readonly HoldRecord[], home: LockHome): Link | undefined {
  let circle: Link | undefined;
  // The search asks no lease whether it has run out, which would change the queues that it reads.
  do circle = search(waiter, held, home);
  while (circle !== undefined && hasRunOut(circle, waiter));
  return circle;
}

function search(waiter: Waiter, held: readonly HoldRecord[], home: LockHome): Link | undefined {
  if (!waitsWithoutEnd(waiter)) return undefined;
  const inside = holdsAround(waiter.request);
  if (inside.length === 0) return undefined;
  const wanted = held.filter((hold) => isEndless(hold) && keepsOut(hold, waiter));
  if (wanted.length === 0) return undefined;
  const own = inside.find((hold) => wanted.includes(hold));
  if (own !== undefined) return { hold: own, by: waiter, next: undefined };
  const links: Link[] = inside.map((hold) => ({ hold, by: waiter, next: undefined }));
  const seen = new Set(inside);
  let looks = 0;
  for (const link of links) {
    for (const other of home.waitingHere(link.hold.name)) {
      if (++looks > MOST_LOOKS) return undefined;
      if (!waitsWithoutEnd(other) || !keepsOut(link.hold, other)) continue;
      for (const hold of holdsAround(other.request)) {
        if (wanted.includes(hold)) return { hold, by: other, next: link };
        if (seen.has(hold)) continue;
        seen.add(hold);
        links.push({ hold, by: other, next: link });
      }
    }
  }
  return undefined;
}

/** After a stalled event loop a lease may have run out that no timer has ended yet. That of the call's own lock has just been looked at. */
function hasRunOut(circle: Link, { request }: Waiter): boolean {
  for (let link: Link | undefined = circle; link !== undefined; link = link.next)
    if (!isSameLock(link.hold, request) && link.hold.lost) return true;
  return false;
}

/** What is told of a circle, beginning with the call that closes it. */
function waitsOf({ request }: Waiter, circle: Link, site: Site | undefined): readonly DeadlockWait[] {
  const waits: DeadlockWait[] = [{ name: request.name, site: site?.text, holderSite: circle.hold.site?.text }];
  for (let link: Link | undefined = circle; link?.next !== undefined; link = link.next) {
    const { by, next } = link;
    waits.push({ name: by.name, site: by.request.site?.text, holderSite: next.hold.site?.text });
  }
  return waits;
}

const waitsWithoutEnd = ({ request }: Waiter): boolean =>
  request.waitMs === undefined && request.maxAttempts === undefined;

/** Where readers stand who ask now, with these in, if behind one of these writers, who stand in line. */
export function placeBehind(writers: Iterable<Waiter>, readers: () => readonly HoldRecord[]): PlaceBehind | undefined {
  for (const writer of writers) if (waitsWithoutEnd(writer)) return { writer, readers: readers() };
  return undefined;
}

/** The call has to wait for this hold to end. */
function keepsOut(hold: HoldRecord, { request, standsBehind }: Waiter): boolean {
  if (hold.name !== request.name) return false;
  // No call re-enters a lock of another kind; for a semaphore of that name none waits, since Redis refuses it.
  if (!isSameLock(hold, request)) return request.primitive !== 'semaphore';
  if (hold.side === 'read' && request.side === 'read')
    return standsBehind !== undefined && standsBehind.writer.inQueue && standsBehind.readers.includes(hold);
  return !scopesAround(request.scope).some(({ holds }) => holds.has(hold));
}

/** As far as is known it is neither lost, alone or with another, nor given back, and its lease is renewed. */
function isEndless({ phase, terms, lostWith }: HoldRecord): boolean {
  return phase.kind === 'open' && !lostWith && terms.mode === 'watched';
}

/** The holds that cannot end before the call does. */
function holdsAround(request: AcquireRequest): readonly HoldRecord[] {
  // Holds of a scope belong to its client, and so to this copy of the library.
  const around = heldAround(request.scope) as readonly HoldRecord[];
  return [...(request.membersHeld ?? none), ...around.filter(({ kind }) => kind !== 'object')].filter(isEndless);
}
