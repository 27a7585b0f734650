/**
 * Judges that no hold is called lost for want of answers before its lease is over, however many renewals have failed until then.
 *
 * When a lease is over is looked at now and then, while its holder believes in it: renewals only put that off.
 */

import { LockLostError } from 'holdfast';
import { endOf, TIMER_GRACE_MS } from './belief.js';
import type { OpenHold } from './exclusion.js';
import type { Violation } from './violation.js';

const LOOKS_EVERY_MS = 20;

/** See the module comment. */
export class EarlyLossJudge {
  readonly #report: (violation: Violation) => void;
  /** With the world time at which each is over, as it was when last looked at. */
  readonly #open = new Map<OpenHold, number>();
  #looksAt = 0;

  constructor(report: (violation: Violation) => void) {
    this.#report = report;
  }

  /** Its caller has it. Holds to which nobody listens are not looked at. */
  entered(entry: OpenHold): void {
    const { hold, listens, process } = entry;
    if (hold === undefined || !listens || hold.signal.aborted) return;
    this.#open.set(entry, endOf(entry));
    const { signal } = hold;
    signal.addEventListener('abort', () => this.#lost(entry, signal.reason, process.time), { once: true });
  }

  /** Its caller begins to give it back. */
  left(entry: OpenHold): void {
    this.#open.delete(entry);
  }

  /** After each event. */
  look(now: number): void {
    if (now < this.#looksAt) return;
    this.#looksAt = now + LOOKS_EVERY_MS;
    for (const entry of this.#open.keys()) {
      if (entry.process.gone) this.#open.delete(entry);
      else this.#open.set(entry, endOf(entry));
    }
  }

  #lost(entry: OpenHold, reason: unknown, at: number): void {
    const end = this.#open.get(entry);
    this.#open.delete(entry);
    if (end === undefined || !(reason instanceof LockLostError) || reason.reason !== 'unreachable') return;
    const leftMs = end - at;
    if (leftMs <= TIMER_GRACE_MS) return;
    const text = `${entry.process.name} is told that no renewal was answered, ${leftMs.toFixed(1)} ms before its lease is over`;
    this.#report({ rule: 'unexplained loss', at, lock: entry.lock, text });
  }
}
