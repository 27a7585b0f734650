/**
 * Judges, where nothing is broken, that a fair lock is had in the order in which the calls reached the server, whichever process made them.
 *
 * When a call has certainly arrived is known: some messages after it was made, in a world whose delays have a bound. Who was asked for after that, and
 * is served while the first still waits, came later and was served before.
 */

import type { Scenario } from '../plan/scenario.js';
import { FIRST_MS } from './peace.js';
import type { Violation } from './violation.js';
import type { Wait } from './wait.js';

/** From a call to the server: a script that is not known there is sent again with its text. */
const TRIPS = 4;

/** See the module comment. */
export class OrderJudge {
  readonly #report: (violation: Violation) => void;
  readonly #boundMs: number;
  readonly #unfair: ReadonlySet<string>;
  readonly #waiting = new Map<string, Set<{ readonly since: number }>>();

  constructor({ delays, others, shared }: Scenario, report: (violation: Violation) => void) {
    this.#report = report;
    // What is written under is a fenced lock in every world, and readers come in together.
    this.#unfair = new Set([...shared, ...others.flatMap(({ kind, name }) => (kind === 'guard' ? [name] : []))]);
    this.#boundMs = TRIPS * delays.most + 1;
  }

  /** @param time - of the world, now. */
  waits(time: () => number, lock: string): Wait | undefined {
    if (this.#unfair.has(lock)) return undefined;
    let waiting = this.#waiting.get(lock);
    if (waiting === undefined) this.#waiting.set(lock, (waiting = new Set()));
    const line = waiting;
    const one = { since: time() };
    line.add(one);
    return {
      had: () => {
        line.delete(one);
        for (const { since } of line) this.#compare(time(), lock, since, one.since);
      },
      settled: () => void line.delete(one),
    };
  }

  #compare(at: number, lock: string, earlier: number, served: number): void {
    if (earlier < FIRST_MS || served <= earlier + this.#boundMs) return;
    const text = `asked for at ${served.toFixed(1)} ms, and had while a call of ${earlier.toFixed(1)} ms still waits`;
    this.#report({ rule: 'order', at, lock, text });
  }
}
