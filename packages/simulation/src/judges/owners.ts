/**
 * Judges explicit owners of one lock.
 *
 * - In peace, a call of an owner that has the lock comes in at once, whichever task of the process makes it.
 * - A client asks on behalf of its call that has waited longest: see {@link FirstCalls}. Not of a fair lock, where each call asks for itself.
 *
 * That different owners, and the same name in two processes, are never in together is judged as for every lock: what an owner has already is what its next
 * hold is inside of, and nothing else is.
 */

import { lockKeys } from '@holdfast/core';
import type { Hold } from 'holdfast';
import type { Scenario } from '../plan/scenario.js';
import type { WorldProcess } from '../world/process.js';
import { believed } from './belief.js';
import type { OpenHold } from './exclusion.js';
import { FirstCalls } from './first-calls.js';
import { tokenOf } from './tokens.js';
import { HANDOVER_TRIPS, tripsMs } from './peace.js';
import type { Violation } from './violation.js';

/** What one owner of one process has. */
export class OwnedHolds {
  /** Of all its tasks, the latest last. */
  readonly open: OpenHold[] = [];
  /** Of those, what `unlock()` undoes. */
  readonly imperative: OpenHold[] = [];

  /** The latest that had a token. */
  #fenced: OpenHold | undefined;
  #givingBack = 0;

  /** What the next hold is inside of. What was lost is over, and does not count. */
  innermost(now: number): OpenHold | undefined {
    return this.open.findLast((entry) => entry.hold === undefined || believed(entry, now));
  }

  /**
   * What a new hold is inside of. A call may have come in while another was open, or was on its way in, that is over by now: then both have the same token,
   * where holds have one.
   */
  around(now: number, hold: Hold | undefined): OpenHold | undefined {
    const token = tokenOf(hold);
    const isSame = token !== undefined && token === tokenOf(this.#fenced?.hold);
    // Over by the clock for a moment, and renewed before its client has looked: it has not been lost.
    const untold = this.open.findLast((entry) => entry.hold?.signal.aborted === false);
    return this.innermost(now) ?? (isSame ? this.#fenced : undefined) ?? untold;
  }

  had(entry: OpenHold): void {
    this.open.push(entry);
    if (tokenOf(entry.hold) !== undefined) this.#fenced = entry;
  }

  /** Its task begins to give it back. */
  left(entry: OpenHold): void {
    this.#givingBack++;
    for (const list of [this.open, this.imperative]) {
      const at = list.indexOf(entry);
      if (at >= 0) list.splice(at, 1);
    }
  }

  /** The call that gives it back has settled. */
  gaveBack(): void {
    this.#givingBack--;
  }

  /** Others are being given back, one command after the other. */
  get isSlow(): boolean {
    return this.#givingBack > 1;
  }
}

/** A call that has not settled, of an owner that had the lock when it was made. */
interface Reentering {
  readonly since: number;
  readonly who: string;
  readonly own: OwnedHolds;
  readonly inside: OpenHold;
}

/** See the module comment. */
export class OwnerJudge {
  readonly name: string;
  readonly firstCalls: FirstCalls;
  readonly #report: (violation: Violation) => void;
  readonly #boundMs: number;
  readonly #isFair: boolean;
  readonly #owners = new Map<WorldProcess, Map<string, OwnedHolds>>();
  readonly #calls = new Set<Reentering>();

  constructor(name: string, scenario: Scenario, report: (violation: Violation) => void) {
    this.name = name;
    this.firstCalls = new FirstCalls(lockKeys(name).lock);
    this.#report = report;
    this.#isFair = scenario.kind === 'fair';
    this.#boundMs = scenario.class === 'calm' ? tripsMs(HANDOVER_TRIPS, scenario) : Number.POSITIVE_INFINITY;
  }

  of(process: WorldProcess, owner: string): OwnedHolds {
    let ofProcess = this.#owners.get(process);
    if (ofProcess === undefined) this.#owners.set(process, (ofProcess = new Map()));
    let own = ofProcess.get(owner);
    if (own === undefined) ofProcess.set(owner, (own = new OwnedHolds()));
    return own;
  }

  /** A task calls for it. Returns what to do when that has settled. */
  calls(process: WorldProcess, who: string, own: OwnedHolds): () => void {
    const inside = own.innermost(process.time);
    if (inside === undefined) return () => undefined;
    const call: Reentering = { since: process.time, who, own, inside };
    this.#calls.add(call);
    return () => void this.#calls.delete(call);
  }

  /** After each event. */
  look(now: number): void {
    const wrong = this.#isFair ? undefined : this.firstCalls.look();
    if (wrong !== undefined) this.#report({ rule: 'owner', at: now, lock: this.name, text: wrong });
    for (const call of this.#calls) {
      const { since, who, own, inside } = call;
      if (!own.open.includes(inside)) this.#calls.delete(call);
      else if (now > since + this.#boundMs) {
        this.#calls.delete(call);
        const text = `${who} waits since ${since.toFixed(1)} for what its owner has had since ${inside.since.toFixed(1)}`;
        this.#report({ rule: 'reentry', at: now, lock: this.name, text });
      }
    }
  }

  /** When is the lock free that has no holder from now on? Nobody can say while a process gives several holds back. */
  askedAt(now: number, process: WorldProcess): number {
    const ofProcess = [...(this.#owners.get(process)?.values() ?? [])];
    return ofProcess.some(({ isSlow }) => isSlow) ? Number.POSITIVE_INFINITY : now;
  }

  buried(process: WorldProcess): void {
    this.#owners.delete(process);
    for (const call of this.#calls) if (call.inside.process === process) this.#calls.delete(call);
  }
}
