/**
 * Judges, where nothing is broken, that a process which has a lock lets others have it: while a call of another process waits, the tasks of one process have it
 * one after the other for a turn, and no longer.
 *
 * A turn is as long as some round trips, which each process measures for itself; see `handoff-rule.ts` of the client. A section that has begun may end.
 */

import type { Scenario } from '../plan/scenario.js';
import type { WorldProcess } from '../world/process.js';
import { HANDOVER_TRIPS, tripsMs } from './peace.js';
import type { OpenHold } from './exclusion.js';
import type { Violation } from './violation.js';
import type { Wait } from './wait.js';

/** Handovers in the longest turn: nine in one that is measured, and four times as many where others have measured more. */
const MOST_HANDOVERS = 36;
/** A round trip of two trips, and what sockets and timers need. */
const ROUND_TRIP = { trips: 2, roomMs: 5 };

/** One process after the other. */
interface Line {
  readonly waiting: Set<{ readonly process: WorldProcess; readonly since: number }>;
  process: WorldProcess | undefined;
  /** World time. */
  since: number;
}

/** See the module comment. */
export class TurnJudge {
  readonly #report: (violation: Violation) => void;
  readonly #arrivesMs: number;
  readonly #longestMs: number;
  readonly #lines: ReadonlyMap<string, Line>;

  constructor(scenario: Scenario, report: (violation: Violation) => void) {
    this.#report = report;
    this.#arrivesMs = tripsMs(HANDOVER_TRIPS, scenario);
    this.#longestMs = MOST_HANDOVERS * (ROUND_TRIP.trips * scenario.delays.most + ROUND_TRIP.roomMs);
    const line = (): Line => ({ waiting: new Set(), process: undefined, since: 0 });
    this.#lines = new Map(scenario.locks.map((lock) => [lock, line()]));
  }

  waits(process: WorldProcess, lock: string): Wait | undefined {
    const line = this.#lines.get(lock);
    if (line === undefined) return undefined;
    const one = { process, since: process.time };
    line.waiting.add(one);
    const settled = () => void line.waiting.delete(one);
    return { had: settled, settled };
  }

  entered(now: number, { process, lock, inside }: OpenHold): void {
    const line = this.#lines.get(lock);
    if (line === undefined || inside !== undefined) return;
    if (line.process !== process) {
      line.process = process;
      line.since = now;
      return;
    }
    for (const other of line.waiting) {
      if (other.process === process) continue;
      const overMs = now - Math.max(line.since, other.since + this.#arrivesMs) - this.#longestMs;
      if (overMs <= 0) continue;
      const text = `${process.name} has it again and again since ${line.since.toFixed(1)}, and ${other.process.name} waits since ${other.since.toFixed(1)}`;
      this.#report({ rule: 'turn', at: now, lock, text });
    }
  }
}
