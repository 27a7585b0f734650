/**
 * Judges a lock under whose name somebody else has data, for a while.
 *
 * - Nothing changes or deletes that data, and nobody believes to hold the lock meanwhile.
 * - Who is told that there is other data is told the truth; and in peace each call is told: one that finds the data there at once, one that waits when
 *   it is put there as soon as it asks again, which is a `reaskMs` at most.
 *
 * Data that takes the place of a lock (only where locks may be taken away) takes it from its holders, who believe in it until they have been told.
 */

import { lockKeys } from '@holdfast/core';
import type { MemoryServer, Value } from '@holdfast/memory';
import type { Scenario } from '../plan/scenario.js';
import type { WorldProcess } from '../world/process.js';
import { believed } from './belief.js';
import type { OpenHold } from './exclusion.js';
import { FIRST_MS, HANDOVER_TRIPS, tripsMs } from './peace.js';
import type { Violation } from './violation.js';

/** Timers are late, and clocks slow by a hundredth. */
const CLOCKS = 1.02;

/** Data that stands under the name of the lock. World times. */
export interface Standing {
  readonly since: number;
  readonly until: number;
  readonly data: string;
  readonly takes: boolean;
}

/** A call that has not settled. */
interface Call {
  readonly process: WorldProcess;
  readonly who: string;
  readonly since: number;
  /** When the first of those was made that ask as one with it. */
  readonly first: number;
  /** How long after the data it may be told. */
  readonly patienceMs: number;
  /** The data was there already, and no answer but a refusal is right. */
  readonly isCertain: boolean;
}

/** What a call comes to: it has the lock, was refused for other data, or anything else, such as a wait that was over. */
export type Told = 'had' | 'refused' | 'neither';

/** See the module comment. */
export class StrangerJudge {
  readonly name: string;
  standing: Standing | undefined;
  readonly #key: string;
  readonly #report: (violation: Violation) => void;
  readonly #holdsOf: (lock: string) => readonly OpenHold[];
  readonly #isCalm: boolean;
  readonly #keepsData: boolean;
  readonly #tripsMs: number;
  readonly #excusedMs: number;
  readonly #longestReaskMs: number;
  readonly #calls = new Set<Call>();
  #server: MemoryServer | undefined;
  #value: Value | undefined;
  #goneAt = Number.NEGATIVE_INFINITY;

  constructor(
    name: string,
    scenario: Scenario,
    terms: {
      readonly excusedMs: number;
      readonly holdsOf: (lock: string) => readonly OpenHold[];
      readonly report: (violation: Violation) => void;
    },
  ) {
    this.name = name;
    this.#key = lockKeys(name).lock;
    this.#report = terms.report;
    this.#holdsOf = terms.holdsOf;
    this.#excusedMs = terms.excusedMs;
    this.#isCalm = scenario.class === 'calm';
    this.#keepsData = scenario.class !== 'taken';
    this.#tripsMs = tripsMs(HANDOVER_TRIPS, scenario);
    this.#longestReaskMs = Math.max(...scenario.processes.map(({ client }) => client.reaskMs));
  }

  /** It has been put there now. */
  put(now: number, server: MemoryServer, { until, data, takes }: Omit<Standing, 'since'>): void {
    this.standing = { since: now, until, data, takes };
    this.#server = server;
    this.#value = copyOf(server.keysOf().find(this.#key)?.value);
  }

  /** Its owner takes it away now. */
  gone(now: number): void {
    this.look(now);
    this.standing = undefined;
    this.#goneAt = now;
  }

  /** The server has lost its data, or a part of it. */
  taken(now: number): void {
    this.standing = undefined;
    this.#goneAt = now;
  }

  /** It is there, and for so long from now on. */
  staysFor(now: number, ms: number): boolean {
    return this.standing !== undefined && this.standing.until > now + ms;
  }

  /** What is sent now arrives before it is taken away, where nothing is broken. */
  staysForCall(now: number): boolean {
    return this.staysFor(now, this.#tripsMs);
  }

  /** A task calls. What it is told is told to the returned function. `mayGiveUp`: it may end before it is answered. */
  calls(process: WorldProcess, who: string, mayGiveUp: boolean): (told: Told) => void {
    const since = process.time;
    const { standing } = this;
    // Those of one process ask as one: it is told what their last question has found, or waits for the next.
    const first = Math.min(
      since,
      ...[...this.#calls].filter((other) => other.process === process).map((one) => one.since),
    );
    const isAtOnce = standing !== undefined && first >= standing.since;
    const patienceMs = (isAtOnce ? 0 : CLOCKS * this.#longestReaskMs) + this.#tripsMs;
    const call = { process, who, since, first, patienceMs, isCertain: isAtOnce && !mayGiveUp && since > FIRST_MS };
    this.#calls.add(call);
    return (told) => {
      this.#calls.delete(call);
      if (told === 'refused') this.#refused(process.time, call);
      else if (call.isCertain && this.#isCalm && standing === this.standing)
        this.#fail(process.time, `${who} is told something else than that there is other data`);
    };
  }

  /** After each event. */
  look(now: number): void {
    const { standing } = this;
    if (standing === undefined) return;
    const entry = this.#server?.keysOf().find(this.#key);
    if (entry === undefined || !isSame(entry.value, this.#value) || entry.endsAt !== Number.POSITIVE_INFINITY) {
      this.taken(now);
      this.#fail(now, `the data of others (${standing.data}) is ${entry === undefined ? 'gone' : 'changed'}`);
      return;
    }
    const isExcused = standing.takes && now < standing.since + this.#excusedMs;
    const holder = this.#holdsOf(this.name).find((hold) => believed(hold, now));
    if (holder !== undefined && !isExcused) {
      const text = `${holder.process.name} believes since ${holder.since.toFixed(1)} to hold it, where other data is since ${standing.since.toFixed(1)}`;
      this.#fail(now, text);
    }
    if (this.#isCalm) for (const call of this.#calls) this.#compare(now, call, standing);
  }

  buried(process: WorldProcess): void {
    for (const call of this.#calls) if (call.process === process) this.#calls.delete(call);
  }

  #compare(now: number, call: Call, standing: Standing): void {
    const from = Math.max(call.since, standing.since, FIRST_MS);
    if (now <= from + call.patienceMs) return;
    this.#calls.delete(call);
    const text = `${call.who} waits since ${call.since.toFixed(1)}, and is not told of the other data that is there since ${standing.since.toFixed(1)}`;
    this.#fail(now, text);
  }

  #refused(now: number, { who, first }: Call): void {
    const wasThere = this.standing !== undefined || this.#goneAt >= first;
    if (!wasThere && this.#keepsData)
      this.#fail(now, `${who} is told of other data, and there was none since ${first.toFixed(1)}`);
  }

  #fail(at: number, text: string): void {
    this.#report({ rule: 'stranger', at, lock: this.name, text });
  }
}

function copyOf(value: Value | undefined): Value | undefined {
  if (value === undefined || typeof value === 'string') return value;
  return value instanceof Map ? new Map(value) : value.copy();
}

function isSame(a: Value, b: Value | undefined): boolean {
  if (b === undefined || typeof a === 'string' || typeof b === 'string') return a === b;
  const [one, other] = [a, b].map(entriesOf);
  return one === other;
}

function entriesOf(value: Exclude<Value, string>): string {
  const entries = value instanceof Map ? [...value] : value.range(0, -1).map((member) => [member, value.score(member)]);
  return JSON.stringify(entries);
}
