/**
 * Judges fencing tokens: each hold of a lock has a larger one than all before, and what re-enters has that of the hold around it.
 *
 * A hold that is over when its caller gets it is not looked at: its process stood still on the way, and others had the lock meanwhile.
 */

import type { OpenHold } from './exclusion.js';
import type { Violation } from './violation.js';

/** See the module comment. */
export class TokenJudge {
  readonly #largest = new Map<string, number>();
  readonly #report: (violation: Violation) => void;

  constructor(report: (violation: Violation) => void) {
    this.#report = report;
  }

  entered(at: number, { lock, hold, inside, process }: OpenHold): void {
    const token = tokenOf(hold);
    if (token === undefined || hold === undefined || hold.remainingMs() <= 0) return;
    const bound = inside === undefined ? this.#largest.get(lock) : tokenOf(inside.hold);
    this.#largest.set(lock, Math.max(token, this.#largest.get(lock) ?? 0));
    if (bound === undefined) return;
    if (inside === undefined ? token > bound : token === bound) return;
    const text = `${process.name} has token ${token} ${inside === undefined ? 'after' : 'inside'} ${bound}`;
    this.#report({ rule: 'token', at, lock, text });
  }
}

/** Undefined where holds have none. */
export function tokenOf(hold: object | undefined): number | undefined {
  return hold !== undefined && 'token' in hold && typeof hold.token === 'number' ? hold.token : undefined;
}
