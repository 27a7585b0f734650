/**
 * Judges, where nothing is broken, how those who wait for permits are served.
 *
 * Whose call was first at the server is known when the two were made some messages apart. One that came later may be told earlier, because messages
 * take different times: so the first is compared when it has its permits, and was overtaken if it has them much later than the other. Where Redisson's
 * messages wake, nobody stands in line: there is no order, and who wants many may wait for long.
 */

import type { Scenario } from '../plan/scenario.js';
import { FIRST_MS, HANDOVER_TRIPS, tripsMs } from './peace.js';
import type { Violation } from './violation.js';

/** A call that waits. */
export interface Place {
  readonly since: number;
  readonly permits: number;
  /** When one that certainly came later had its permits. */
  overtakenAt: number | undefined;
}

/** See the module comment. */
export class PermitLine {
  readonly #name: string;
  readonly #total: number;
  readonly #report: (violation: Violation) => void;
  readonly #boundMs: number;
  readonly #isOrdered: boolean;
  /** In the order in which they were made. */
  readonly #places = new Set<Place>();
  /** Since when there has been enough for the first; undefined: there is not. */
  #enoughSince: number | undefined;

  constructor(name: string, total: number, scenario: Scenario, report: (violation: Violation) => void) {
    this.#name = name;
    this.#total = total;
    this.#report = report;
    this.#boundMs = tripsMs(HANDOVER_TRIPS, scenario);
    this.#isOrdered = scenario.wakeup === 'queue';
  }

  /** `used`: how many permits callers have now. The call may be at the server before one that was made a moment ago. */
  joins(since: number, permits: number, used: number): Place {
    const place: Place = { since, permits, overtakenAt: undefined };
    this.#places.add(place);
    if (!this.#isEnough(used)) this.#enoughSince = undefined;
    return place;
  }

  had(now: number, place: Place, used: number): void {
    const idleMs = now - Math.max(this.#enoughSince ?? now, FIRST_MS);
    if (idleMs > this.#boundMs)
      this.#fail('lost wakeup', now, `enough was free for ${idleMs.toFixed(1)} ms while a caller waited`);
    const lateMs = now - (place.overtakenAt ?? now);
    if (lateMs > this.#boundMs)
      this.#fail('order', now, `a call that came later had its permits ${lateMs.toFixed(1)} ms before this one`);
    this.#places.delete(place);
    for (const other of this.#isOrdered ? this.#places : []) {
      if (other.since > FIRST_MS && other.since + this.#boundMs < place.since) other.overtakenAt ??= now;
    }
    this.#again(now, used);
  }

  /** It has given up; or it has its permits, and then nothing changes. */
  left(now: number, place: Place, used: number): void {
    if (this.#places.delete(place)) this.#again(now, used);
  }

  moved(now: number, used: number): void {
    if (!this.#isEnough(used)) this.#enoughSince = undefined;
    else this.#enoughSince ??= now;
  }

  #again(now: number, used: number): void {
    this.#enoughSince = undefined;
    this.moved(now, used);
  }

  /** For whichever of those is the first that may be. */
  #isEnough(used: number): boolean {
    const [first] = this.#places;
    if (first === undefined) return false;
    for (const { since, permits } of this.#places) {
      if (since <= first.since + this.#boundMs && permits > this.#total - used) return false;
    }
    return true;
  }

  #fail(rule: 'order' | 'lost wakeup', at: number, text: string): void {
    this.#report({ rule, at, lock: this.#name, text });
  }
}
