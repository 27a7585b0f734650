/**
 * Judges, where nothing is broken, that the calls of one process for a plain or fenced lock are served in the order in which they were made.
 *
 * Calls of one turn of its event loop have no order that could be judged.
 */

import type { Scenario } from '../plan/scenario.js';
import type { WorldProcess } from '../world/process.js';
import { FIRST_MS } from './peace.js';
import type { Violation } from './violation.js';
import type { Wait } from './wait.js';

interface Waiting {
  readonly process: WorldProcess;
  readonly since: number;
}

/** See the module comment. */
export class ProcessOrderJudge {
  readonly #report: (violation: Violation) => void;
  readonly #lines: ReadonlyMap<string, Set<Waiting>>;

  constructor({ locks }: Scenario, report: (violation: Violation) => void) {
    this.#report = report;
    this.#lines = new Map(locks.map((lock) => [lock, new Set()]));
  }

  waits(process: WorldProcess, lock: string): Wait | undefined {
    const line = this.#lines.get(lock);
    if (line === undefined) return undefined;
    const one = { process, since: process.time };
    line.add(one);
    return {
      had: () => {
        line.delete(one);
        for (const other of line) if (other.process === process) this.#compare(lock, other, one);
      },
      settled: () => void line.delete(one),
    };
  }

  #compare(lock: string, { process, since }: Waiting, served: Waiting): void {
    if (since < FIRST_MS || served.since <= since) return;
    const text = `${process.name} had a call of ${served.since.toFixed(1)} ms served while its call of ${since.toFixed(1)} ms still waits`;
    this.#report({ rule: 'order', at: process.time, lock, text });
  }
}
