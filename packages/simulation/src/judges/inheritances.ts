/**
 * Judges what holds are told of the hold before them (`hold.inherited`).
 *
 * - A hold inside another is told the same as that one, in every world.
 * - In peace, where clients wait in the queue, nobody is told when the hold before was given back, resting or not; and when its lease ran out
 *   while a call of another process waited, whoever has the lock next is told.
 *
 * A client that has no place in the queue yet, since its inbox is being opened, cannot know from Redis. It tells from the lease that it saw (news without
 * `since`), and may be wrong when that lease may have been given up: such news is excused where a lease of that time was as short.
 *
 * A hold is over when its caller leaves it or its deadline passes, whichever comes first. One that is left with less time than its release may
 * need may be either. Where processes die, or messages are lost, news may be told in vain or not at all: see docs/semantics.md.
 */

import type { Scenario } from '../plan/scenario.js';
import type { WorldProcess } from '../world/process.js';
import { endOf, TIMER_GRACE_MS } from './belief.js';
import type { OpenHold } from './exclusion.js';
import { FIRST_MS, HANDOVER_TRIPS, tripsMs } from './peace.js';
import type { Violation } from './violation.js';
import type { Wait } from './wait.js';

/** A hold gives its lease up that much before its end in Redis, at most. */
const GIVEN_UP_BEFORE_MS = 310;

/** A hold that is inside none, and how it ended; undefined: not yet. */
interface Past {
  readonly entry: OpenHold;
  /** When it would have been over without a renewal. */
  readonly firstEnd: number;
  end: 'given back' | 'lost' | 'either' | undefined;
  at: number;
}

interface Line {
  last: Past | undefined;
  /** Those that Redis may have told of to a call that still waits, or that waits from now on. */
  seen: Past[];
  readonly lastOf: Map<WorldProcess, Past>;
  readonly waiting: Set<Waiting>;
}

interface Waiting {
  readonly process: WorldProcess;
  readonly since: number;
  over: number;
}

/** See the module comment. */
export class InheritanceJudge {
  readonly #report: (violation: Violation) => void;
  readonly #boundMs: number;
  readonly #isExact: boolean;
  readonly #lines = new Map<string, Line>();

  constructor(scenario: Scenario, report: (violation: Violation) => void) {
    this.#report = report;
    this.#boundMs = tripsMs(HANDOVER_TRIPS, scenario);
    this.#isExact = scenario.class === 'calm' && scenario.wakeup === 'queue';
    const resting = scenario.others.flatMap(({ kind, name }) => (kind === 'rest' ? [name] : []));
    for (const lock of [...scenario.locks, ...resting])
      this.#lines.set(lock, { last: undefined, seen: [], lastOf: new Map(), waiting: new Set() });
  }

  waits(process: WorldProcess, lock: string): Wait | undefined {
    const line = this.#lines.get(lock);
    if (line === undefined || !this.#isExact) return undefined;
    const one: Waiting = { process, since: process.time, over: Number.POSITIVE_INFINITY };
    line.waiting.add(one);
    // Told of both before and after the hold begins.
    const settled = () => {
      one.over = Math.min(one.over, process.time);
    };
    return { had: settled, settled };
  }

  entered(now: number, entry: OpenHold): void {
    const line = this.#lines.get(entry.lock);
    if (line === undefined) return;
    if (entry.inside !== undefined) {
      this.#compare(now, entry, entry.inside);
      return;
    }
    if (!this.#isExact) return;
    const { last, waiting } = line;
    for (const one of waiting) if (one.over < now) waiting.delete(one);
    const seen = this.#seenIn(line, now);
    const own = line.lastOf.get(entry.process);
    line.last = { entry, firstEnd: endOf(entry), end: undefined, at: now };
    line.seen = [...seen, line.last];
    line.lastOf.set(entry.process, line.last);
    if (last === undefined || entry.hold === undefined) return;
    const end = last.end ?? 'lost';
    const told = entry.hold.inherited;
    const isOwnNews = own !== undefined && own.end !== 'given back';
    // It counts from when its question was sent.
    const mayBeOver = ({ firstEnd }: Past) => firstEnd - GIVEN_UP_BEFORE_MS - this.#boundMs <= now;
    const isGuess = told?.reason === 'expired' && seen.some(mayBeOver);
    const isExcused = told?.since === undefined && (isOwnNews || isGuess);
    if (end === 'given back' && told !== undefined && !isExcused)
      this.#fail(now, entry, `is told ${told.reason}, and ${last.entry.process.name} has given it back`);
    if (end !== 'lost' || told !== undefined) return;
    const overAt = last.end === undefined ? Math.min(now, endOf(last.entry)) : last.at;
    const waited = [...waiting].find(
      ({ process, since }) => process !== last.entry.process && since > FIRST_MS && since + this.#boundMs < overAt,
    );
    if (waited !== undefined)
      this.#fail(
        now,
        entry,
        `is told nothing, and ${last.entry.process.name} lost it while ${waited.process.name} waited`,
      );
  }

  left(now: number, entry: OpenHold): void {
    const last = this.#lines.get(entry.lock)?.last;
    if (last?.entry !== entry) return;
    // An imperative one has no end but its release.
    const leftMs = entry.hold === undefined ? Number.POSITIVE_INFINITY : endOf(entry) - now;
    if (leftMs < -TIMER_GRACE_MS) last.end = 'lost';
    else last.end = leftMs > this.#boundMs ? 'given back' : 'either';
    last.at = now;
  }

  #seenIn({ seen, waiting }: Line, now: number): Past[] {
    const since = Math.min(now, ...[...waiting].map((one) => one.since));
    return seen.filter(({ end, at }) => end === undefined || at + this.#boundMs >= since);
  }

  #compare(now: number, entry: OpenHold, around: OpenHold): void {
    const [inner, outer] = [entry, around].map(({ hold }) => hold);
    if (inner === undefined || outer === undefined || inner.inherited?.reason === outer.inherited?.reason) return;
    this.#fail(now, entry, `is told ${inner.inherited?.reason ?? 'nothing'} inside one that is told otherwise`);
  }

  #fail(at: number, { process, lock }: OpenHold, what: string): void {
    this.#report({ rule: 'inheritance', at, lock, text: `${process.name} ${what}` });
  }
}
