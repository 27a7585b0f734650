/**
 * Judges, where nothing is broken, that a lock which is free and waited for is with its next owner as soon as messages can say so.
 *
 * Under faults a waiter asks again by itself after a while, and that hides a wakeup that was never sent. In peace it must not be needed: from the
 * moment at which the last holder leaves, or the first of those who wait asked, whichever is later, some messages pass, and then somebody has it.
 */

import type { Scenario } from '../plan/scenario.js';
import type { OpenHold } from './exclusion.js';
import { FIRST_MS, HANDOVER_TRIPS, tripsMs } from './peace.js';
import type { Violation } from './violation.js';
import type { Wait } from './wait.js';

interface State {
  /** When those who wait now began to. */
  readonly waiting: Set<{ readonly since: number }>;
  freeSince: number;
  open: number;
}

/** See the module comment. */
export class WakeupJudge {
  readonly #report: (violation: Violation) => void;
  readonly #boundMs: number;
  readonly #locks = new Map<string, State>();

  constructor(scenario: Scenario, report: (violation: Violation) => void) {
    this.#report = report;
    this.#boundMs = tripsMs(HANDOVER_TRIPS, scenario);
  }

  waits(now: number, lock: string): Wait {
    const { waiting } = this.#of(lock);
    const token = { since: now };
    waiting.add(token);
    const settled = () => void waiting.delete(token);
    return { had: settled, settled };
  }

  /** `holders`: how many are open now that it has left. `freeAt`: now, or later when it rests. */
  left({ lock, hold }: OpenHold, holders: number, freeAt: number): void {
    const state = this.#of(lock);
    state.open = holders;
    // One that was lost is over when its lease is, which tells nobody.
    if (holders === 0) state.freeSince = hold?.state === 'lost' ? Number.POSITIVE_INFINITY : freeAt;
  }

  /** Called before the one that has it now is no longer counted as waiting, or after: it is the first of them that counts. */
  entered(now: number, lock: string): void {
    const state = this.#of(lock);
    const { freeSince } = state;
    if (state.open === 0 && freeSince !== Number.POSITIVE_INFINITY && now > FIRST_MS) {
      let first = Number.POSITIVE_INFINITY;
      for (const { since } of state.waiting) first = Math.min(first, since);
      const idleMs = now - Math.max(freeSince, first, FIRST_MS);
      if (idleMs > this.#boundMs) {
        const text = `free for ${idleMs.toFixed(1)} ms while a caller waited; messages take ${this.#boundMs.toFixed(1)} ms at most`;
        this.#report({ rule: 'lost wakeup', at: now, lock, text });
      }
    }
    state.open++;
    state.freeSince = Number.POSITIVE_INFINITY;
  }

  #of(lock: string): State {
    let state = this.#locks.get(lock);
    if (state === undefined) this.#locks.set(lock, (state = { waiting: new Set(), freeSince: 0, open: 0 }));
    return state;
  }
}
