/**
 * Judges, where nothing is broken, who comes into a lock that readers share.
 *
 * - A reader that nobody keeps out, since only readers are in and no writer waits, is in as fast as messages are.
 * - No reader comes in past a writer that has waited since before it was called, unless a writer had the lock meanwhile: all readers that wait then come in
 *   together, before the next writer.
 */

import type { Scenario } from '../plan/scenario.js';
import type { OpenHold, Side } from './exclusion.js';
import { FIRST_MS, HANDOVER_TRIPS, tripsMs } from './peace.js';
import type { Violation } from './violation.js';
import type { Wait } from './wait.js';

interface State {
  readonly waiting: Set<{ readonly side: Side; readonly since: number }>;
  writersIn: number;
  /** World times: when the last writer left, and since when nobody keeps a reader out. */
  writtenUntil: number;
  openSince: number;
}

/** See the module comment. */
export class ReaderJudge {
  readonly #report: (violation: Violation) => void;
  readonly #boundMs: number;
  readonly #locks: ReadonlyMap<string, State>;

  constructor(scenario: Scenario, report: (violation: Violation) => void) {
    this.#report = report;
    this.#boundMs = tripsMs(HANDOVER_TRIPS, scenario);
    const state = (): State => ({ waiting: new Set(), writersIn: 0, writtenUntil: 0, openSince: 0 });
    this.#locks = new Map(scenario.shared.map((lock) => [lock, state()]));
  }

  waits(time: () => number, lock: string, side: Side): Wait | undefined {
    const state = this.#locks.get(lock);
    if (state === undefined) return undefined;
    const one = { side, since: time() };
    state.waiting.add(one);
    const had = () => {
      if (!state.waiting.delete(one)) return;
      if (side === 'alone') reopened(state, time());
      else this.#came(time(), lock, state, one.since);
    };
    return { had, settled: () => void (state.waiting.delete(one) && side === 'alone' && reopened(state, time())) };
  }

  entered({ lock, side, inside }: OpenHold): void {
    const state = this.#locks.get(lock);
    if (state !== undefined && side === 'alone' && inside === undefined) state.writersIn++;
  }

  left(now: number, { lock, side, inside }: OpenHold): void {
    const state = this.#locks.get(lock);
    if (state === undefined || side !== 'alone' || inside !== undefined) return;
    state.writersIn--;
    state.writtenUntil = now;
    reopened(state, now);
  }

  #came(now: number, lock: string, state: State, since: number): void {
    const writers = [...state.waiting].filter(({ side }) => side === 'alone');
    const passed = writers.find(
      (one) => one.since > Math.max(FIRST_MS, state.writtenUntil) && one.since + this.#boundMs < since,
    );
    if (passed !== undefined)
      this.#fail(
        'order',
        now,
        lock,
        `a reader called at ${since.toFixed(1)} is in before a writer of ${passed.since.toFixed(1)}`,
      );
    if (writers.length > 0 || state.writersIn > 0) return;
    const lateMs = now - Math.max(since, state.openSince, FIRST_MS) - this.#boundMs;
    if (lateMs > 0)
      this.#fail(
        'lost wakeup',
        now,
        lock,
        `nobody kept a reader out, and it came in ${lateMs.toFixed(1)} ms later than messages are`,
      );
  }

  #fail(rule: 'order' | 'lost wakeup', at: number, lock: string, text: string): void {
    this.#report({ rule, at, lock, text });
  }
}

/** One that kept readers out is gone. */
function reopened(state: State, now: number): void {
  state.openSince = now;
}
