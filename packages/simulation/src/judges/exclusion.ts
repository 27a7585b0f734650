/**
 * Judges who believes to hold a lock, at every moment of a world.
 *
 * A hold is believed from the moment at which its caller has it to the moment at which the caller begins to give it back, its own client calls it
 * lost, or its deadline passes on the clock of its own process, whichever comes first. That is what `state` and `assertHeld()` would say if the
 * caller looked at that moment, also where the process is stopped and cannot look. Two holds of one lock may be believed at the same moment only
 * when one is nested in the other, or both only read.
 *
 * An imperative hold (`lock`, `unlock`) has no object to ask. It counts from `lock` to `unlock`, and only if `unlock` says afterwards that it had
 * not been lost.
 *
 * The judge looks after every event at the locks on which two holds that are not nested are open, and nowhere else: all others cannot be wrong. It
 * reads the deadline of a hold with the clock of its process set back to the beginning of the hold, so that looking changes nothing.
 *
 * Where a fault takes a lock away (a deleted key, a forced lock, lost data), its victims are excused until they have been told: for one lease, which is
 * when the next renewal has been answered at the latest. Then they must have been. Nobody else is excused; {@link Victims} knows who they are.
 */

import type { Hold } from 'holdfast';
import type { WorldProcess } from '../world/process.js';
import { believed, endOf, TIMER_GRACE_MS } from './belief.js';
import type { Victims } from './victims.js';
import type { Violation } from './violation.js';

/** `read`: what others may have beside it, if they only read as well. */
export type Side = 'read' | 'alone';

/** One open acquisition. */
export interface OpenHold {
  readonly process: WorldProcess;
  readonly lock: string;
  readonly side: Side;
  /** Undefined for an imperative one. */
  readonly hold: Hold | undefined;
  /** The hold around it, when this one re-entered or is a branch below it. */
  readonly inside: OpenHold | undefined;
  /** World time. */
  readonly since: number;
  /** On the clock of its process. */
  readonly sinceLocal: number;
  /** World time at which its signal aborted, where somebody listens. */
  abortedAt: number | undefined;
  readonly listens: boolean;
  /** Imperative: what it would be a violation with, if it was held to its end. */
  readonly suspects: OpenHold[];
  /** Imperative: it was. */
  confirmed: boolean;
}

/** See the module comment. */
export class ExclusionJudge {
  readonly #open = new Map<string, OpenHold[]>();
  readonly #contested = new Set<string>();
  /** When, of each lock; the earliest first. */
  readonly #takenAt = new Map<string, number[]>();
  readonly #report: (violation: Violation) => void;
  readonly #victims: Victims;

  constructor(victims: Victims, report: (violation: Violation) => void) {
    this.#victims = victims;
    this.#report = report;
  }

  /** A fault takes a lock, or all of them, away from its owner. */
  taken(now: number, lock: string | undefined): void {
    this.#victims.taken(now, lock);
    // Whoever has the data from now on may not know of it.
    if (lock === undefined) this.#takenAt.clear();
    else this.#takenAt.set(lock, [...this.#takenFrom(lock), now]);
  }

  /** Its caller has it. */
  enter(
    now: number,
    process: WorldProcess,
    lock: string,
    hold: Hold | undefined,
    inside: OpenHold | undefined,
    listens: boolean,
    side: Side = 'alone',
  ): OpenHold {
    const entry: OpenHold = {
      process,
      lock,
      side,
      hold,
      inside,
      since: now,
      sinceLocal: process.clock.now(),
      abortedAt: undefined,
      listens: listens && hold !== undefined,
      suspects: [],
      confirmed: false,
    };
    if (entry.listens) {
      const { signal } = hold as Hold;
      const aborted = () => {
        entry.abortedAt ??= process.time;
      };
      if (signal.aborted) aborted();
      else signal.addEventListener('abort', aborted, { once: true });
    }
    let entries = this.#open.get(lock);
    if (entries === undefined) this.#open.set(lock, (entries = []));
    for (const other of entries) if (!related(other, entry)) this.#meets(now, other, entry);
    entries.push(entry);
    this.#sortOut(lock, entries);
    return entry;
  }

  /** Its caller begins to give it back, or has been told that it is lost. */
  leave(entry: OpenHold): void {
    const entries = this.#open.get(entry.lock) ?? [];
    const at = entries.indexOf(entry);
    if (at >= 0) entries.splice(at, 1);
    this.#sortOut(entry.lock, entries);
    this.#toldOf(entry);
  }

  #takenFrom(lock: string): readonly number[] {
    return this.#takenAt.get(lock) ?? [];
  }

  /** Whoever had a lock when it was taken away has been told when the next lease would be over, whoever has the lock by then. */
  #toldOf(entry: OpenHold): void {
    const { lock, process, since } = entry;
    const takenAt = this.#takenFrom(lock).find((at) => at > since);
    const now = process.time;
    if (takenAt === undefined || now - takenAt < this.#victims.excusedMs || !process.awake || !believed(entry, now))
      return;
    const text = `${process.name} had it when it was taken away, ${(now - takenAt).toFixed(1)} ms ago, and has not been told`;
    this.#report({ rule: 'loss told late', at: now, lock, text });
  }

  /** An imperative hold was given back, and its `unlock` said that it had been held to the end. */
  confirm(entry: OpenHold): void {
    entry.confirmed = true;
    for (const other of entry.suspects) {
      if (other.hold !== undefined || other.confirmed) this.#both(Math.max(other.since, entry.since), other, entry);
    }
  }

  /** Nothing of a process that is gone is believed. */
  buried(process: WorldProcess): void {
    for (const [lock, entries] of this.#open) {
      const left = entries.filter((entry) => entry.process !== process);
      this.#open.set(lock, left);
      this.#sortOut(lock, left);
    }
  }

  /** Who is believed to hold it now, or may be. */
  openOn(lock: string): readonly OpenHold[] {
    return this.#open.get(lock) ?? [];
  }

  /** After each event. */
  look(now: number): void {
    for (const lock of this.#contested) {
      const entries = this.#open.get(lock) as OpenHold[];
      for (const [place, entry] of entries.entries()) {
        if (!believed(entry, now)) continue;
        for (const other of entries.slice(place + 1)) {
          if (!related(entry, other) && believed(other, now)) this.#both(now, entry, other);
        }
      }
    }
  }

  #sortOut(lock: string, entries: readonly OpenHold[]): void {
    const contested = entries.length > 1 && entries.some((a) => entries.some((b) => a !== b && !related(a, b)));
    if (contested) this.#contested.add(lock);
    else this.#contested.delete(lock);
  }

  #meets(now: number, before: OpenHold, entry: OpenHold): void {
    if (before.hold === undefined && (entry.hold === undefined || believed(entry, now))) before.suspects.push(entry);
    if (entry.hold === undefined && (before.hold === undefined || believed(before, now))) entry.suspects.push(before);
    if (!before.listens || before.abortedAt !== undefined || this.#isExcused(before, now)) return;
    const end = endOf(before);
    // Its timers have had time to run, also since it last stood still.
    if (!before.process.awake || Math.max(end, before.process.busyUntil) > now - TIMER_GRACE_MS) return;
    const late = (now - end).toFixed(1);
    this.#report({
      rule: 'loss told late',
      at: now,
      lock: before.lock,
      text: `${before.process.name} was over by its own clock for ${late} ms, and its signal had not aborted when ${entry.process.name} came`,
    });
  }

  #both(now: number, a: OpenHold, b: OpenHold): void {
    if (this.#isExcused(a, now) || this.#isExcused(b, now)) return;
    const of = ({ process, since, hold }: OpenHold) =>
      `${process.name} since ${since.toFixed(3)}${hold === undefined ? ' (imperative)' : ''}`;
    this.#report({ rule: 'exclusion', at: now, lock: a.lock, text: `${of(a)} and ${of(b)} at ${now.toFixed(3)}` });
  }

  #isExcused(entry: OpenHold, now: number): boolean {
    return this.#victims.excuses(outermost(entry), now);
  }
}

/** May the two be open together? */
function related(a: OpenHold, b: OpenHold): boolean {
  return (a.side === 'read' && b.side === 'read') || isWithin(a, b) || isWithin(b, a);
}

/** The hold around it that is inside none. */
export function outermost(entry: OpenHold): OpenHold {
  let at = entry;
  while (at.inside !== undefined) at = at.inside;
  return at;
}

function isWithin(inner: OpenHold, outer: OpenHold): boolean {
  for (let at: OpenHold | undefined = inner; at !== undefined; at = at.inside) if (at === outer) return true;
  return false;
}
