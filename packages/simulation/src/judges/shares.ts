/**
 * Judges what is shared under one name. That only one computes at a time is judged as for every lock.
 *
 * - Only who owns the lock puts a value there, by the data of the server.
 * - What a caller is given was computed.
 * - In peace nobody begins to compute while there is a value, and nobody is given one whose time is over.
 */

import { share, shareScripts } from '@holdfast/core';
import type { MemoryServer, Value } from '@holdfast/memory';
import type { Scenario } from '../plan/scenario.js';
import { tripsMs } from './peace.js';
import type { Violation } from './violation.js';

/** From the end of a computation to the server, and a script that has to be sent again. */
const TRIPS = 4;
/** Clocks differ by a hundredth at most. */
const CLOCKS = 0.02;

/** See the module comment. */
export class ShareJudge {
  readonly name: string;
  readonly #ttlMs: number;
  readonly #boundMs: number | undefined;
  readonly #report: (violation: Violation) => void;
  /** World time at which each was computed. */
  readonly #computed = new Map<string, number>();
  /** What the last command has left on the server. */
  #shared: Value | undefined;
  #last = Number.NEGATIVE_INFINITY;

  constructor(
    { name, ttlMs }: { readonly name: string; readonly ttlMs: number },
    scenario: Scenario,
    report: (violation: Violation) => void,
  ) {
    this.name = name;
    this.#ttlMs = ttlMs;
    this.#boundMs = scenario.class === 'calm' ? tripsMs(TRIPS, scenario) : undefined;
    this.#report = report;
  }

  /** A server has executed `request`. */
  executed(now: number, server: MemoryServer, request: readonly string[]): void {
    const { lock, value } = share.shareKeys(this.name);
    const [, script, , first, , tenure = '', , text] = request;
    const { put } = shareScripts;
    if (first !== lock || (script !== put.sha && script !== put.source)) return;
    const keys = server.keysOf();
    const shared = keys.find(value)?.value;
    const isNew = shared === text && this.#shared !== text;
    this.#shared = shared;
    const owners = keys.find(lock)?.value;
    if (isNew && !(owners instanceof Map && owners.has(tenure)))
      this.#fail(now, `${tenure} puts a value, and does not own the lock`);
  }

  begins(now: number): void {
    if (this.#boundMs === undefined) return;
    const age = now - this.#last;
    if (age > this.#boundMs && age < this.#ttlMs * (1 - CLOCKS) - this.#boundMs)
      this.#fail(now, `computes again ${age.toFixed(1)} ms after a value that is shared for ${this.#ttlMs}`);
  }

  ends(now: number, value: string): void {
    this.#computed.set(value, now);
    this.#last = now;
  }

  /** To a call that was made at `since`. */
  given(now: number, since: number, value: string): void {
    const at = this.#computed.get(value);
    if (at === undefined) this.#fail(now, `${value} was given, and nobody has computed it`);
    else if (this.#boundMs !== undefined && since > at + this.#ttlMs * (1 + CLOCKS) + this.#boundMs)
      this.#fail(now, `${value} was given to a call that was made ${(since - at).toFixed(1)} ms later`);
  }

  #fail(at: number, text: string): void {
    this.#report({ rule: 'share', at, lock: this.name, text });
  }
}
