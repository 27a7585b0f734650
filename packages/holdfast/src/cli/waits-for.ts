/**
 * Who waits for whom, across processes: each process that waits for a lock waits for each that holds it.
 *
 * What Redis says of one lock is true at one moment, and of two locks at two. So a circle may be made of waits that never were at the same time. But
 * a tenure has an id that never comes back: a wait that is seen twice, with the ids of the same two tenures, was there all the while in between. If
 * that holds for all waits of a circle, and all were seen once before any was looked at again, then there was a moment at which they all were.
 */

import { clientIn } from '@holdfast/core';
import type { ClientCard, InspectedHolder, LockInspection } from 'holdfast';

/** One who waits or holds. */
export interface Party {
  /** Of the tenure. */
  readonly id: string;
  readonly kind: InspectedHolder['kind'];
  readonly client: ClientCard | undefined;
}

/** One waits for a lock that another holds. */
export interface WaitFor {
  readonly lock: string;
  readonly waiter: Party;
  readonly holder: Party;
  readonly waitingMs: number;
  /** How long the one can have waited for the other, at most: the holder may have come later. */
  readonly atMostMs: number;
}

/** Of a lock with more readers, so many are looked at. */
const MOST_HOLDERS = 100;

/** The waits for one lock. A lock that rests has nobody to wait for: it ends by itself. */
export function waitsOf({ name, holders, queue }: LockInspection): WaitFor[] {
  const awaited = holders.filter(({ resting }) => !resting).slice(0, MOST_HOLDERS);
  return queue.flatMap(({ id, client, waitingMs }) =>
    awaited.map((holder) => ({
      lock: name,
      waiter: { id, kind: 'holdfast' as const, client },
      holder: { id: holder.id, kind: holder.kind, client: holder.client },
      waitingMs,
      atMostMs: Math.min(waitingMs, holder.ageMs ?? waitingMs),
    })),
  );
}

/**
 * Circles among different clients: for each client that is in one, a shortest. A client that waits for itself is no business of others: its own events
 * `self-wait` and `deadlock` know more.
 */
export function circlesIn(waits: readonly WaitFor[]): readonly (readonly WaitFor[])[] {
  const byWaiter = new Map<string, WaitFor[]>();
  for (const wait of waits) {
    if (nodeOf(wait.waiter) === nodeOf(wait.holder)) continue;
    const others = byWaiter.get(nodeOf(wait.waiter));
    if (others === undefined) byWaiter.set(nodeOf(wait.waiter), [wait]);
    else others.push(wait);
  }
  const told = new Set<string>();
  const circles: WaitFor[][] = [];
  for (const client of byWaiter.keys()) {
    const circle = told.has(client) ? undefined : wayBack(client, byWaiter);
    if (circle === undefined) continue;
    circles.push(circle);
    for (const { waiter } of circle) told.add(nodeOf(waiter));
  }
  return circles;
}

/** The circles whose waits are all there at a later look. */
export function stillThere(
  circles: readonly (readonly WaitFor[])[],
  later: readonly WaitFor[],
): readonly (readonly WaitFor[])[] {
  const known = new Set(later.map(keyOf));
  return circles.filter((circle) => circle.every((wait) => known.has(keyOf(wait))));
}

/** How long a circle can have been there, at most: since its last wait began. */
export function ageOf(circle: readonly WaitFor[]): number {
  return Math.min(...circle.map(({ atMostMs }) => atMostMs));
}

function nodeOf({ id, kind }: Party): string {
  return kind === 'foreign' ? id : clientIn(id);
}

function keyOf({ lock, waiter, holder }: WaitFor): string {
  return JSON.stringify([lock, waiter.id, holder.id]);
}

/** A shortest circle through a client, by breadth first search. */
function wayBack(start: string, byWaiter: ReadonlyMap<string, readonly WaitFor[]>): WaitFor[] | undefined {
  const ways: WaitFor[][] = (byWaiter.get(start) ?? []).map((wait) => [wait]);
  const seen = new Set<string>();
  for (const way of ways) {
    const end = nodeOf((way.at(-1) as WaitFor).holder);
    if (end === start) return way;
    if (seen.has(end)) continue;
    seen.add(end);
    for (const wait of byWaiter.get(end) ?? []) ways.push([...way, wait]);
  }
  return undefined;
}
