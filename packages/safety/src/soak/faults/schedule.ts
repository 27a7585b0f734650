/**
 * Faults, one after the other, on processes chosen by a seed.
 *
 * A run promises that none of them ends a lease, so that any loss is a false one. A lock that was handed over by message has to be renewed
 * within the claim lease C (3 s), first at C/3. Hence a disturbance takes at most a second, and whoever had one is left in peace for
 * {@link PEACE_MS}: whatever moment it hits, a second is left for the renewal.
 */

import { type SeededRandom, seededRandom } from '@holdfast/testkit';
import type { Redis } from 'ioredis';
import { nowMicros } from '../../history/clock.js';
import { faults } from './catalogue.js';
import type { Fault, Victim } from './fault.js';

const SHORTEST_MS = 100;
const PEACE_MS = 1_500;
/** From one fault to the next: twice a second on average. */
const SHORTEST_PAUSE_MS = 200;
const LONGEST_PAUSE_MS = 800;

/** What has been done to whom. */
export interface FaultEvent {
  readonly fault: string;
  readonly process: number;
  readonly atUs: number;
  readonly forMs: number;
}

/** See the module comment. */
export class FaultSchedule {
  readonly events: FaultEvent[] = [];
  readonly #victims: readonly Victim[];
  readonly #admin: Redis;
  readonly #random: SeededRandom;
  /** When a victim may be disturbed again, and what is still being done. */
  readonly #peaceUntil = new Map<Victim, number>();
  readonly #underWay = new Set<Promise<void>>();
  #timer: NodeJS.Timeout | undefined;
  #error: Error | undefined;
  #stopped = false;

  constructor(victims: readonly Victim[], admin: Redis, seed: number) {
    this.#victims = victims;
    this.#admin = admin;
    this.#random = seededRandom(seed);
  }

  start(): void {
    this.#next();
  }

  /** No new faults; resolves when the present ones have ended. Rejects when one could not be carried out. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearTimeout(this.#timer);
    await Promise.all(this.#underWay);
    if (this.#error !== undefined) throw this.#error;
  }

  #next(): void {
    this.#timer = setTimeout(
      () => {
        this.#disturbSomebody();
        if (!this.#stopped) this.#next();
      },
      this.#between(SHORTEST_PAUSE_MS, LONGEST_PAUSE_MS),
    );
  }

  /** The random numbers are drawn in any case, so that a seed means the same faults however long they take. */
  #disturbSomebody(): void {
    const fault = this.#random.pick(faults);
    const [victim] = this.#random.shuffled(this.#victims).filter((one) => this.#isAtPeace(one));
    const forMs = fault.longestMs > 0 ? this.#between(SHORTEST_MS, fault.longestMs) : 0;
    if (victim === undefined) return;
    this.#peaceUntil.set(victim, performance.now() + forMs + PEACE_MS);
    this.events.push({ fault: fault.name, process: this.#victims.indexOf(victim), atUs: nowMicros(), forMs });
    const work = this.#disturb(fault, victim, forMs).catch((error: unknown) => {
      this.#error ??= error instanceof Error ? error : new Error(String(error));
    });
    this.#underWay.add(work);
    void work.finally(() => this.#underWay.delete(work));
  }

  async #disturb(fault: Fault, victim: Victim, forMs: number): Promise<void> {
    await fault.begin(victim, { admin: this.#admin, random: this.#random });
    if (fault.end === undefined) return;
    await new Promise((resolve) => setTimeout(resolve, forMs));
    await fault.end(victim);
  }

  #isAtPeace(victim: Victim): boolean {
    return (this.#peaceUntil.get(victim) ?? 0) <= performance.now();
  }

  #between(low: number, high: number): number {
    return low + this.#random.below(high - low);
  }
}
