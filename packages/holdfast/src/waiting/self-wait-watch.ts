/**
 * Notices a call that waits for a lock which its own process does not let go of: most often a nested call outside any scope, which can never
 * succeed. It cannot be told from an honest wait, so it is reported and not refused; but what is known to be honest is not reported. A call
 * with `waitMs` comes to an end. A section that the call is outside of comes to an end too: it is not around the call, and what is inside of it
 * re-enters. An abort signal is no end, since it may never abort: a nested call is often given the signal of the hold around it.
 */

import type { Appointment } from '@holdfast/watchdog';
import { CALLERS, Site } from '../reports/site.js';
import { isInside } from '../scopes/scope.js';
import { isSameLock } from '../tenure/operations.js';
import type { LockParts } from '../client-parts.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import type { LockHome } from '../exclusive/lock.js';
import { mayReenter } from '../exclusive/reentry.js';
import type { QueuedCalls } from './wait-queue.js';
import type { Waiter } from './waiter.js';

const PATIENCE_MS = 1_000;
/** Shortest time between two looks: the queue may be long. */
const PAUSE_MS = 100;

interface Lock {
  readonly name: string;
  readonly queue: QueuedCalls;
}

/** One lock's self-wait watch: one appointment, only while a suspect waits. */
export class SelfWaitWatch {
  readonly #lock: Lock;
  readonly #home: LockHome;
  readonly #parts: LockParts;
  #next: Appointment | undefined;

  constructor(lock: Lock, home: LockHome, parts: LockParts) {
    this.#lock = lock;
    this.#home = home;
    this.#parts = parts;
  }

  /** A call has just begun to wait. To be called where it was made. */
  watch(waiter: Waiter): void {
    const { request } = waiter;
    if (request.waitMs !== undefined) return;
    const holder = this.#heldHere.find((record) => mayBeAround(record, waiter));
    if (holder === undefined) return;
    waiter.suspicion = { holder, site: request.site ?? new Site(request.entry, CALLERS) };
    if (this.#next === undefined) this.#lookAt(waiter.joinedAt + PATIENCE_MS);
  }

  #lookAt(time: number): void {
    this.#next = this.#parts.waits.at(time, () => this.#look());
  }

  /** No call waits any more. */
  stop(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }

  #look(): void {
    this.#next = undefined;
    const now = this.#parts.clock.now();
    let next = Infinity;
    const due: Waiter[] = [];
    for (const waiter of this.#lock.queue) {
      if (waiter.suspicion === undefined) continue;
      const time = waiter.joinedAt + PATIENCE_MS;
      if (time > now) next = Math.min(next, time);
      else due.push(waiter);
    }
    if (next < Infinity) this.#lookAt(Math.max(next, now + PAUSE_MS));
    // Last: a listener may end any of these waits, or begin others.
    for (const waiter of due) this.#report(waiter);
  }

  /** Also locks of other primitives: they keep the call out, and no call re-enters them. */
  get #heldHere(): readonly HoldRecord[] {
    return this.#home.heldHere(this.#lock.name);
  }

  #report(waiter: Waiter): void {
    const { suspicion, request } = waiter;
    waiter.suspicion = undefined;
    if (suspicion === undefined || waiter.settled || !this.#heldHere.includes(suspicion.holder)) return;
    this.#parts.reporter.selfWait(request, suspicion.site, suspicion.holder);
  }
}

/** It keeps the call out, and for all that is known it may be for the call to end first. */
function mayBeAround(record: HoldRecord, { request }: Waiter): boolean {
  if (!record.given || !record.renewable) return false;
  const isSame = isSameLock(record, request);
  if (isSame && mayReenter(request, record)) return false;
  // Each campaign is a candidate of its own, also beside one that leads.
  const isElsewhere = record.kind === 'section' || (isSame && record.primitive === 'election');
  return !isElsewhere || (record.section !== undefined && isInside(record.section));
}
