/**
 * Judges locks that rest: what was taken with `minHoldMs` and given back is had by nobody else before that time is over, by the server's clock.
 *
 * The time runs from the moment at which a call got its hold. All holds inside the outermost one are one tenure, which rests until the last of
 * their times is over. It is judged when the call that gave the tenure back has said that it was held to the end: a tenure that was lost, or whose
 * process died before it was given back, keeps nothing for sure.
 */

import { outermost, type OpenHold } from './exclusion.js';
import type { Violation } from './violation.js';

/** Clocks differ by a hundredth at most, and this one counts whole milliseconds. */
const CLOCKS = 0.01;
const ROUNDING_MS = 1;
/** Who waits asks when the rest is over, and each further back in line a little later, for those before it may have gone. */
const SPREAD_MS = 225;

/** Of one tenure. World times. */
interface Rest {
  /** Nobody else has it before. */
  earliest: number;
  /** A clock that is slow calls it over. */
  latest: number;
  returned: boolean;
  /** The first that came too soon. */
  early: { readonly at: number; readonly who: string } | undefined;
}

/** See the module comment. */
export class RestJudge {
  readonly name: string;
  readonly #report: (violation: Violation) => void;
  /** By the outermost hold. */
  readonly #rests = new Map<OpenHold, Rest>();

  constructor(name: string, report: (violation: Violation) => void) {
    this.name = name;
    this.#report = report;
  }

  /** @param since - world time, not after the moment at which the call got it. `minHoldMs`: undefined where it asked for none. */
  entered(since: number, entry: OpenHold, minHoldMs: number | undefined): void {
    const own = outermost(entry);
    const { process } = entry;
    for (const [other, rest] of this.#rests) {
      if (other === own) continue;
      if (process.time < rest.earliest) rest.early ??= { at: process.time, who: process.name };
      else if (rest.early === undefined && rest.latest <= since) this.#rests.delete(other);
      this.#compare(other, rest);
    }
    if (minHoldMs === undefined) return;
    const before = this.#rests.get(own);
    const earliest = since + minHoldMs * (1 - CLOCKS) - ROUNDING_MS;
    const latest = process.time + minHoldMs * (1 + CLOCKS) + ROUNDING_MS;
    this.#rests.set(own, {
      earliest: Math.max(earliest, before?.earliest ?? earliest),
      latest: Math.max(latest, before?.latest ?? latest),
      returned: false,
      early: before?.early,
    });
  }

  /** Its call has given it back, and says that it was held to the end. */
  returned(entry: OpenHold): void {
    const rest = this.#rests.get(entry);
    if (rest === undefined) return;
    rest.returned = true;
    this.#compare(entry, rest);
  }

  /** It is given back now. From when on may one who waits be expected to ask? */
  askedAt(now: number): number {
    const latest = Math.max(0, ...[...this.#rests.values()].map((rest) => rest.latest));
    return latest > now ? latest + SPREAD_MS : now;
  }

  buried(process: OpenHold['process']): void {
    for (const [own, { returned }] of this.#rests) if (own.process === process && !returned) this.#rests.delete(own);
  }

  #compare(own: OpenHold, { returned, early, earliest }: Rest): void {
    if (!returned || early === undefined) return;
    const text = `${early.who} had it at ${early.at.toFixed(1)}, and after ${own.process.name} it rests until ${earliest.toFixed(1)}`;
    this.#report({ rule: 'rest', at: early.at, lock: this.name, text });
  }
}
