/**
 * Judges locks that a scope leaves open when it ends: its client tells of each, and in peace, by the data of the server, nobody else has the lock before the
 * lease has run out, and nothing renews it.
 *
 * The lease is that of the last renewal that the client knew of. One that was on its way when the scope ended may still raise it, in Redis alone: for
 * some messages that is excused. What the client gives up is a little less than the lease, for clocks that differ.
 */

import { lockKeys } from '@holdfast/core';
import type { MemoryServer } from '@holdfast/memory';
import type { LeftPlan, Scenario } from '../plan/scenario.js';
import { tripsMs } from './peace.js';
import type { Violation } from './violation.js';

/** From a renewal that was sent just before to the server, or from its answer to the client: a script that is not known there is sent again. */
const TRIPS = 4;
/** Both clocks may be wrong by a hundredth. */
const CLOCKS = 0.03;
/** Who was granted a lock by message believes it a hundredth less long for the time since it asked: a `reaskMs` at most. */
const GRANT_MS = 30;
/** Who waits asks when the lease is over, and each further back in line a little later. */
const SPREAD_MS = 225;

/** A lease as the server has it. World times. */
interface Lease {
  readonly tenure: string;
  readonly since: number;
  readonly endsAt: number;
  /** The same in server time, which is whole milliseconds. */
  readonly until: number;
}

/** A lock that nobody gives back. */
interface Left {
  readonly tenure: string;
  readonly who: string;
  readonly at: number;
  /** Nobody else has it before. */
  readonly earliest: number;
  /** A client that has asked by then finds it free. */
  readonly latest: number;
}

/** See the module comment. */
export class LeavingJudge {
  readonly name: string;
  readonly #leftovers: LeftPlan['leftovers'];
  readonly #key: string;
  readonly #report: (violation: Violation) => void;
  readonly #tripsMs: number;
  readonly #isExact: boolean;
  #server: MemoryServer | undefined;
  /** Of one tenure, the latest last. */
  #leases: Lease[] = [];
  #left: Left | undefined;

  constructor({ name, leftovers }: LeftPlan, scenario: Scenario, report: (violation: Violation) => void) {
    this.name = name;
    this.#leftovers = leftovers;
    this.#key = lockKeys(name).lock;
    this.#report = report;
    this.#tripsMs = tripsMs(TRIPS, scenario);
    this.#isExact = scenario.class === 'calm' && leftovers === 'abandon';
  }

  /** The last hold that a client has of it ends with its scope: unless the client gives it back, nobody renews it from now on. */
  abandoned(now: number, who: string, client: { readonly id: string; readonly leaseMs: number }): void {
    if (!this.#isExact) return;
    const known = this.#leases.findLast(({ since }) => since < now - this.#tripsMs) ?? this.#leases[0];
    if (!known?.tenure.startsWith(client.id)) return;
    const { tenure, since, endsAt } = known;
    const earliest = endsAt - this.#tripsMs - GRANT_MS - CLOCKS * (endsAt - since);
    const latest = now + this.#tripsMs + (1 + CLOCKS) * client.leaseMs + SPREAD_MS;
    this.#left = { tenure, who, at: now, earliest, latest };
  }

  /** A run has left so many acquisitions open, and its process is told of `left` losses to the end of a scope and of `leaks`. */
  told(
    now: number,
    who: string,
    open: number,
    { left, leaks }: { readonly left: number; readonly leaks: number },
  ): void {
    const expected = this.#leftovers === 'abandon' ? open : 0;
    if (leaks !== expected || left !== expected)
      this.wrong(
        now,
        `${who} is told of ${leaks} leaks and ${left} losses, and its run left ${open} open (${this.#leftovers})`,
      );
  }

  /** When may one who waits be expected to have asked, after the last hold has ended now? */
  askedAt(now: number): number {
    return this.#left?.latest ?? now;
  }

  /** A server has executed a command. */
  executed(now: number, server: MemoryServer): void {
    if (!this.#isExact) return;
    this.#server = server;
    const lease = this.#look(now);
    const left = this.#left;
    if (left !== undefined && lease?.tenure !== left.tenure) {
      this.#left = undefined;
      if (now < left.earliest)
        this.wrong(now, `${left.who} has left it open, and its lease lasts until ${left.earliest.toFixed(1)} at least`);
    }
    const last = this.#leases.at(-1);
    if (lease?.tenure !== last?.tenure) this.#leases = lease === undefined ? [] : [lease];
    else if (lease !== undefined && last !== undefined && lease.until > last.until) {
      this.#leases.push(lease);
      if (left !== undefined && now > left.at + this.#tripsMs)
        this.wrong(now, `is renewed, and ${left.who} left it open at ${left.at.toFixed(1)}`);
    }
  }

  /** A task has met what must not be. */
  wrong(at: number, text: string): void {
    this.#report({ rule: 'scope', at, lock: this.name, text });
  }

  #look(now: number): Lease | undefined {
    const keys = this.#server?.keysOf();
    const entry = keys?.find(this.#key);
    if (keys === undefined || !(entry?.value instanceof Map)) return undefined;
    const tenure = [...entry.value.keys()].find((field) => field.includes(':'));
    const until = entry.endsAt;
    return tenure === undefined ? undefined : { tenure, since: now, endsAt: now + until - keys.nowMs, until };
  }
}
