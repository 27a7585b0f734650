/**
 * Judges one latch, by what the server has done. Not where data is lost: there nothing of a latch can be promised.
 *
 * - One call counts once, however many copies of its command arrive, and who says who it is counts once in a round.
 * - One call begins one round.
 * - Who waits goes on only when the count was 0 at some moment since it asked; and, in peace, as soon as messages are.
 */

import { latch, latchScripts } from '@holdfast/core';
import type { MemoryServer } from '@holdfast/memory';
import type { Scenario } from '../plan/scenario.js';
import { FIRST_MS, tripsMs } from './peace.js';
import type { Violation } from './violation.js';

/** One-way trips from a count to who waits: to the server, a message, a look and its answer, a script that has to be sent again. */
const TRIPS = 12;
/** More than there are while one call waits. */
const REMEMBERED = 1_000;

const is = ({ sha, source }: { readonly sha: string; readonly source: string }, text: string | undefined) =>
  text === sha || text === source;

/** See the module comment. */
export class LatchJudge {
  readonly name: string;
  readonly #keys: ReturnType<typeof latch.latchKeys>;
  readonly #boundMs: number | undefined;
  readonly #report: (violation: Violation) => void;
  /** Requests that have counted, or begun a round. */
  readonly #done = new Set<string>();
  /** Who has counted in this round. */
  readonly #counters = new Set<string>();
  #count = 0;
  /** When the present round began, or the last one. */
  #beganAt = Number.NEGATIVE_INFINITY;
  /** When the count reached 0: the latest such times. */
  readonly #openings: number[] = [];

  constructor(name: string, scenario: Scenario, report: (violation: Violation) => void) {
    this.name = name;
    this.#keys = latch.latchKeys(name);
    this.#boundMs = scenario.class === 'calm' ? tripsMs(TRIPS, scenario) : undefined;
    this.#report = report;
  }

  /** A call that was made at `since` is told that it may go on, or that it has waited for too long. */
  answered(now: number, since: number, isOpen: boolean): void {
    const wasOpen = this.#count === 0 || this.#beganAt >= since;
    if (isOpen && !wasOpen) this.#fail(now, 'latch', `opened for a call, and ${this.#count} are left to be counted`);
    if (this.#boundMs === undefined) return;
    const bound = this.#boundMs;
    // One that opened before the call had looked for the first time, and has been closed since, it need not have seen.
    const certain = this.#openings.find((at) => at > Math.max(since, FIRST_MS) + bound);
    const present = this.#count === 0 ? Math.max(since, this.#openings.at(-1) ?? 0, FIRST_MS) : now;
    const idleMs = now - Math.min(certain ?? now, present);
    if (idleMs > bound) this.#fail(now, 'lost wakeup', `was open for ${idleMs.toFixed(1)} ms while a call waited`);
  }

  executed(now: number, server: MemoryServer, request: readonly string[]): void {
    if (request[3] !== this.#keys.latch) return;
    const before = this.#count;
    const value = server.keysOf().find(this.#keys.latch)?.value;
    this.#count = typeof value === 'string' ? Number(value) : 0;
    if (this.#count === before) return;
    const [script, once = '', by = ''] = [request[1], request[5], request[8]];
    if (is(latchScripts.set, script)) {
      if (before > 0 || this.#isCopy(once)) this.#fail(now, 'latch', 'one call has begun two rounds');
      this.#counters.clear();
      this.#beganAt = now;
    } else if (is(latchScripts.count, script)) {
      if (this.#count !== before - 1 || this.#isCopy(once) || (by !== '' && this.#counters.has(by)))
        this.#fail(now, 'latch', `one call has counted twice: from ${before} to ${this.#count}, ${by}`);
      this.#counters.add(by);
    }
    if (this.#count > 0) return;
    this.#openings.push(now);
    if (this.#openings.length > REMEMBERED) this.#openings.shift();
  }

  #isCopy(once: string): boolean {
    const isCopy = this.#done.has(once);
    this.#done.add(once);
    return isCopy;
  }

  #fail(at: number, rule: 'latch' | 'lost wakeup', text: string): void {
    this.#report({ rule, at, lock: this.name, text });
  }
}
