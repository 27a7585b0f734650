/**
 * Judges what clients with limits may have at once, in peace.
 *
 * - Nobody has a lock more often inside itself than `depth` says.
 * - Who is told that too many calls wait, or that too many names are in use, is told the truth: so many calls of the process are there, or were a moment ago.
 */

import type { LockLimitError } from 'holdfast';
import type { ProcessPlan, Scenario } from '../plan/scenario.js';
import type { WorldProcess } from '../world/process.js';
import type { OpenHold } from './exclusion.js';
import { HANDOVER_TRIPS, tripsMs } from './peace.js';
import type { Violation } from './violation.js';

/** Of one process. */
interface Calls {
  readonly open: Set<object>;
  /** World times at which others have settled lately: their names are in use for another moment. */
  settledAt: number[];
}

/** See the module comment. */
export class LimitJudge {
  readonly #report: (violation: Violation) => void;
  readonly #plans: readonly ProcessPlan[];
  readonly #graceMs: number;
  readonly #calls = new Map<WorldProcess, Calls>();

  constructor(scenario: Scenario, report: (violation: Violation) => void) {
    this.#report = report;
    this.#plans = scenario.processes;
    this.#graceMs = tripsMs(HANDOVER_TRIPS, scenario);
  }

  calls(process: WorldProcess, call: object): void {
    this.#of(process).open.add(call);
  }

  settled(process: WorldProcess, call: object): void {
    const calls = this.#of(process);
    if (!calls.open.delete(call)) return;
    calls.settledAt = calls.settledAt.filter((at) => at > process.time - this.#graceMs);
    calls.settledAt.push(process.time);
  }

  /** Before `call` is settled. */
  refused(process: WorldProcess, call: object, { limit, value, lockName }: LockLimitError): void {
    if (limit !== 'waiters' && limit !== 'locks') return;
    const { open, settledAt } = this.#of(process);
    const late = settledAt.filter((at) => at > process.time - this.#graceMs).length;
    const others = open.size - (open.has(call) ? 1 : 0) + late;
    if (others >= value) return;
    this.#fail(process, lockName, `is told that ${value} ${limit} are there, beside ${others} calls`);
  }

  entered({ process, lock, inside }: OpenHold): void {
    const depth = this.#plans.find(({ number }) => number === process.number)?.client.limits?.depth;
    if (depth === undefined) return;
    let levels = 1;
    for (let at = inside; at !== undefined; at = at.inside) levels++;
    if (levels > depth) this.#fail(process, lock, `has it ${levels} times, and may ${depth} times`);
  }

  #of(process: WorldProcess): Calls {
    let calls = this.#calls.get(process);
    if (calls === undefined) this.#calls.set(process, (calls = { open: new Set(), settledAt: [] }));
    return calls;
  }

  #fail({ name, time }: WorldProcess, lock: string | undefined, what: string): void {
    this.#report({ rule: 'limit', at: time, lock, text: `${name} ${what}` });
  }
}
