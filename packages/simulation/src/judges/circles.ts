/**
 * Judges calls that wait for each other inside one client: a call that closes a circle is refused, and no other.
 *
 * A call waits for each hold of its lock that it is not inside of; readers do not wait for readers, but one that comes when a writer waits stands behind that one, and
 * waits for the readers that were in when it came. A hold that ends with its scope ends after every call that
 * was made inside of it. What ends by itself, a call or a hold, closes no circle, and of a hold that any code may give back nobody knows when it ends.
 *
 * What tasks have told is all that counts, so whoever is refused without a circle is judged in every world. That a circle is refused is judged in peace, at the
 * end of the very turn in which it is closed: elsewhere a hold may be lost that its task believes, and a circle that is missed starves. What tasks of one process do in
 * one turn has no order that could be judged: then a reader may stand behind a writer, and need not.
 */

import type { Scenario } from '../plan/scenario.js';
import type { WorldProcess } from '../world/process.js';
import type { OpenHold, Side } from './exclusion.js';
import type { Violation } from './violation.js';

/** A hold of a task, and where it was taken. */
export interface Link {
  readonly entry: OpenHold;
  /** `scope`: after all that is called inside. `itself`: its lease does. `anybody`: code may give it back at any time. */
  readonly ends: 'scope' | 'itself' | 'anybody';
  readonly around: Link | undefined;
  /** When the turn of its process began in which it was taken, in world time. */
  readonly turn: number;
}

/** A call that has not settled. */
export interface WaitingCall {
  readonly process: WorldProcess;
  readonly who: string;
  readonly lock: string;
  readonly side: Side;
  /** `never`: it waits as long as it must. */
  readonly ends: 'never' | 'itself';
  readonly around: Link | undefined;
  /** When the turn of its process began in which it was made, in world time. */
  readonly turn: number;
}

/** What a circle must be made of, or may be. */
type Certainty = 'sure' | 'possible';

/** See the module comment. */
export class CircleJudge {
  readonly name: string;
  readonly #report: (violation: Violation) => void;
  readonly #isExact: boolean;
  /** Writers stand in line: where Redisson's messages wake, readers come in past them. */
  readonly #hasLine: boolean;
  readonly #holds = new Set<Link>();
  readonly #calls = new Set<WaitingCall>();
  /** Those that close a circle. */
  readonly #closing = new Set<WaitingCall>();

  constructor(name: string, scenario: Scenario, report: (violation: Violation) => void) {
    this.name = name;
    this.#report = report;
    this.#isExact = scenario.class === 'calm';
    this.#hasLine = scenario.wakeup === 'queue';
  }

  /** A task is about to make it. */
  calls(call: WaitingCall): void {
    if (this.#closes(call, 'sure')) this.#closing.add(call);
    this.#calls.add(call);
  }

  /** It has the lock, or will not have it. */
  settled(call: WaitingCall): void {
    this.#calls.delete(call);
    this.#closing.delete(call);
  }

  /** It is told that it closes a circle. */
  refused(now: number, call: WaitingCall): void {
    if (!this.#closing.has(call) && !this.#closes(call, 'possible'))
      this.#fail(now, call, 'is refused, and closes no circle');
    this.settled(call);
  }

  has(link: Link): void {
    this.#holds.add(link);
  }

  leaves(link: Link): void {
    this.#holds.delete(link);
  }

  /** After each event. */
  look(now: number): void {
    if (!this.#isExact) return;
    for (const call of this.#closing) this.#fail(now, call, 'waits, and has closed a circle');
  }

  buried(process: WorldProcess): void {
    for (const link of this.#holds) if (link.entry.process === process) this.#holds.delete(link);
    for (const call of this.#calls) if (call.process === process) this.settled(call);
  }

  #closes(call: WaitingCall, certainty: Certainty): boolean {
    if (call.ends === 'itself') return false;
    const own = new Set(around(call).filter(endsWithScope));
    const seen = new Set<Link>();
    const wanted = this.#waitsFor(call, certainty);
    for (const link of wanted) {
      if (own.has(link)) return true;
      if (seen.has(link)) continue;
      seen.add(link);
      for (const other of this.#calls)
        if (other.ends === 'never' && around(other).includes(link)) wanted.push(...this.#waitsFor(other, certainty));
    }
    return false;
  }

  /** What ends after other calls only, and keeps this one out. */
  #waitsFor(call: WaitingCall, certainty: Certainty): Link[] {
    const inside = around(call);
    return [...this.#holds].filter((link) => {
      const { process, lock, side } = link.entry;
      if (process !== call.process || lock !== call.lock || !endsWithScope(link)) return false;
      if (inside.includes(link)) return false;
      return side === 'alone' || call.side === 'alone' || this.#standsBehindOneFor(link, call, certainty);
    });
  }

  /** A writer who keeps the reader from coming in waits for the other, who is in. */
  #standsBehindOneFor(link: Link, call: WaitingCall, certainty: Certainty): boolean {
    const cameBefore = ({ turn }: { readonly turn: number }) =>
      certainty === 'sure' ? turn < call.turn : turn <= call.turn;
    const isWriterBefore = (other: WaitingCall) =>
      other.process === call.process &&
      other.lock === call.lock &&
      other.side === 'alone' &&
      other.ends === 'never' &&
      cameBefore(other);
    return this.#hasLine && cameBefore(link) && [...this.#calls].some(isWriterBefore);
  }

  #fail(at: number, { who, lock }: WaitingCall, what: string): void {
    this.#report({ rule: 'deadlock', at, lock, text: `${who} ${what}` });
  }
}

const endsWithScope = ({ ends }: Link): boolean => ends === 'scope';

/** The holds that a call is inside of. */
function around(call: WaitingCall): Link[] {
  const links: Link[] = [];
  for (let link = call.around; link !== undefined; link = link.around) links.push(link);
  return links;
}
