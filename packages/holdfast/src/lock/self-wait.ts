/**
 * Notices a call that waits for a lock which its own process does not let go of: most often a nested call outside any scope, which can never
 * succeed. Nobody can tell it from an honest wait, so it is reported and not refused; but what is known to be honest is not reported. A call
 * with `waitMs` comes to an end. A section that the call is outside of comes to an end too: it is not around the call, and what is inside of it
 * re-enters. An abort signal is no end, since nobody knows that it will ever abort: a nested call is often given the signal of the hold around it.
 */

import type { Appointment } from '@holdfast/watchdog';
import { CALLERS, Site } from '../reports/site.js';
import { isInside } from '../scope.js';
import type { Contender } from './contender.js';
import type { Level } from './level.js';
import type { Line } from './line.js';
import type { Parts } from './parts.js';
import { mayReenter } from './reentry.js';

const PATIENCE_MS = 1_000;
/** Shortest time between two looks: the line may be long. */
const PAUSE_MS = 100;

interface Lock {
  readonly name: string;
  readonly levels: readonly Level[];
}

/** One lock's self-wait watch: one appointment, only while a suspect waits. */
export class SelfWait {
  readonly #lock: Lock;
  readonly #line: Line;
  readonly #parts: Parts;
  #next: Appointment | undefined;

  constructor(lock: Lock, line: Line, parts: Parts) {
    this.#lock = lock;
    this.#line = line;
    this.#parts = parts;
  }

  /** A call has just begun to wait. To be called where it was made. */
  watch(contender: Contender): void {
    const { request } = contender;
    if (request.waitMs !== undefined) return;
    const holder = this.#lock.levels.find((level) => mayBeAround(level, contender));
    if (holder === undefined) return;
    contender.suspicion = { holder, site: request.site ?? new Site(request.entry, CALLERS) };
    if (this.#next === undefined) this.#lookAt(contender.joinedAt + PATIENCE_MS);
  }

  #lookAt(time: number): void {
    this.#next = this.#parts.waits.at(time, () => this.#look());
  }

  /** Nobody waits any more. */
  stop(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }

  #look(): void {
    this.#next = undefined;
    const now = this.#parts.clock.now();
    let next = Number.POSITIVE_INFINITY;
    const due: Contender[] = [];
    for (const contender of this.#line) {
      if (contender.suspicion === undefined) continue;
      const time = contender.joinedAt + PATIENCE_MS;
      if (time > now) next = Math.min(next, time);
      else due.push(contender);
    }
    if (next < Number.POSITIVE_INFINITY) this.#lookAt(Math.max(next, now + PAUSE_MS));
    // Last: a listener may end any of these waits, or begin others.
    for (const contender of due) this.#report(contender);
  }

  #report(contender: Contender): void {
    const { suspicion, request } = contender;
    contender.suspicion = undefined;
    if (suspicion === undefined || contender.settled || !this.#lock.levels.includes(suspicion.holder)) return;
    this.#parts.reporter.selfWait(request, suspicion.site, suspicion.holder.site);
  }
}

/** It keeps the call out, and for all that is known it may be for the call to end first. */
function mayBeAround(level: Level, { request }: Contender): boolean {
  if (!level.given || !level.renewable || mayReenter(request, level)) return false;
  return level.kind !== 'section' || (level.section !== undefined && isInside(level.section));
}
