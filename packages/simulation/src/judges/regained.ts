/**
 * Judges what a client makes of an answer which says that its question has found a lock free and taken it: a hold of that lock that its caller had before
 * cannot have lasted until then. It has been told so when the answer has been read, although the same tenure owns the lock again.
 *
 * Not of fair locks, where calls of one client ask for themselves and one may own what another has lost.
 */

import { callsIn } from './requests.js';
import { believed } from './belief.js';
import type { OpenHold } from './exclusion.js';
import type { Scenario } from '../plan/scenario.js';
import { watchedLocks } from './watched.js';
import type { WorldProcess } from '../world/process.js';
import type { Violation } from './violation.js';

interface Question {
  readonly lock: string;
  /** When it was executed, in world time. */
  readonly at: number;
}

/** See the module comment. */
export class RegainedJudge {
  readonly #report: (violation: Violation) => void;
  readonly #holdsOf: (lock: string) => readonly OpenHold[];
  /** By their keys. */
  readonly #names: ReadonlyMap<string, string>;
  readonly #questions = new Map<string, Question>();
  readonly #regained: (Question & { readonly process: WorldProcess })[] = [];

  constructor(
    scenario: Scenario,
    holdsOf: (lock: string) => readonly OpenHold[],
    report: (violation: Violation) => void,
  ) {
    this.#report = report;
    this.#holdsOf = holdsOf;
    const watched = scenario.kind === 'fair' ? [] : watchedLocks(scenario).values();
    this.#names = new Map([...watched].map(({ lock, name }) => [lock, name]));
  }

  /** A server has executed `request`. */
  executed(now: number, request: readonly string[]): void {
    const calls = callsIn(request);
    const [call] = calls;
    const lock = this.#names.get(call?.lock ?? '');
    const question = request.at(-1);
    if (calls.length !== 1 || call?.name !== 'ask' || lock === undefined || question === undefined) return;
    this.#questions.set(question, { lock, at: now });
  }

  /** A client reads `reply`. */
  answered(process: WorldProcess, reply: unknown): void {
    if (!Array.isArray(reply)) return;
    const question = this.#questions.get(String(reply.at(-1)));
    if (question === undefined) return;
    this.#questions.delete(String(reply.at(-1)));
    if (reply[0] === 'acquired') this.#regained.push({ process, ...question });
  }

  /** After each event. */
  look(now: number): void {
    for (const { process, lock, at } of this.#regained.splice(0)) {
      const entry = this.#holdsOf(lock).find((one) => one.process === process && one.since < at && believed(one, now));
      if (entry === undefined) continue;
      const text = `${process.name} has had it since ${entry.since.toFixed(1)}, found it free at ${at.toFixed(1)}, and has not been told`;
      this.#report({ rule: 'loss told late', at: now, lock, text });
    }
  }
}
