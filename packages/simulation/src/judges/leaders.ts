/**
 * Judges one election: when one begins to lead, all who led before have been told that they do not any more, and its term is higher than theirs.
 *
 * A leader has been told when its signal has aborted; one whose process stands still cannot be told, and would read that it does not lead if it looked.
 * Where a fault takes the leadership away, leaders are excused for one lease.
 */

import type { Leadership } from 'holdfast';
import type { WorldProcess } from '../world/process.js';
import { TIMER_GRACE_MS } from './belief.js';
import type { Violation } from './violation.js';

/** One who leads. */
export interface OpenLeadership {
  readonly process: WorldProcess;
  readonly leadership: Leadership;
  /** World time. */
  readonly since: number;
}

/** See the module comment. */
export class LeaderJudge {
  readonly name: string;
  readonly #excusedMs: number;
  readonly #report: (violation: Violation) => void;
  readonly #open = new Set<OpenLeadership>();
  #highest = 0;
  #takenAt = Number.NEGATIVE_INFINITY;

  constructor(name: string, excusedMs: number, report: (violation: Violation) => void) {
    this.name = name;
    this.#excusedMs = excusedMs;
    this.#report = report;
  }

  /** Its caller is told that it leads. */
  enter(process: WorldProcess, leadership: Leadership): OpenLeadership {
    const now = process.time;
    const entry = { process, leadership, since: now };
    // One that stood still on the way is over already, and nothing follows from it.
    if (leadership.leads && now - this.#takenAt >= this.#excusedMs) {
      for (const before of this.#open) this.#meets(now, before, entry);
      if (this.#takenAt === Number.NEGATIVE_INFINITY && leadership.token <= this.#highest)
        this.#fail('token', now, `${process.name} leads in term ${leadership.token} after ${this.#highest}`);
      this.#highest = Math.max(this.#highest, leadership.token);
    }
    this.#open.add(entry);
    return entry;
  }

  /** It gives up, or it has ended. */
  leave(entry: OpenLeadership): void {
    this.#open.delete(entry);
  }

  /** All that the server knew was lost. */
  taken(now: number): void {
    this.#takenAt = now;
  }

  buried(process: WorldProcess): void {
    for (const entry of this.#open) if (entry.process === process) this.#open.delete(entry);
  }

  /** What one observer was told, one after the other. */
  observed(now: number, terms: readonly number[]): void {
    if (this.#takenAt !== Number.NEGATIVE_INFINITY) return;
    const falls = terms.some((term, at) => term < (terms[at - 1] ?? 0));
    if (falls) this.#fail('token', now, `an observer was told of terms ${terms.join(', ')}`);
  }

  #meets(now: number, { process, leadership, since }: OpenLeadership, next: OpenLeadership): void {
    const { token, signal } = leadership;
    if (token === next.leadership.token || signal.aborted) return;
    const leadsAt = (time: number) => process.seenAt(time, () => leadership.leads);
    const local = process.clock.now();
    const of = `${process.name} in term ${token} since ${since.toFixed(1)}`;
    if (leadsAt(local)) this.#fail('exclusion', now, `${of} and ${next.process.name} in term ${next.leadership.token}`);
    // Timers may be late by so much.
    else if (process.awake && !leadsAt(local - TIMER_GRACE_MS))
      this.#fail(
        'loss told late',
        now,
        `${of} was over, and its signal had not aborted when ${next.process.name} came`,
      );
  }

  #fail(rule: 'exclusion' | 'loss told late' | 'token', at: number, text: string): void {
    this.#report({ rule, at, lock: this.name, text });
  }
}
