/**
 * Judges one semaphore, whose number of permits is never changed.
 *
 * - By what holders believe, after every event: they do not have more permits than there are.
 * - By the server's own data, after every script: the permits that nobody has and those of all records are as many as there are. A permit that is
 *   lost, or made twice, shows at once.
 * - An id is issued once, and known until its lease is over.
 * - In the end no record has a lease that goes on, so all permits can be had again.
 * - In peace: who asked first is served first, however many it wants, and what is free is with the first as soon as messages are.
 */

import { semaphoreKeys } from '@holdfast/core';
import type { MemoryServer } from '@holdfast/memory';
import type { PermitHold } from 'holdfast';
import type { Scenario } from '../plan/scenario.js';
import type { WorldProcess } from '../world/process.js';
import { believed, type Held } from './belief.js';
import { PermitLine } from './permit-line.js';
import type { Violation } from './violation.js';

/** A hold of permits, or ids of permits: how many, and for how long its caller may believe in them. */
export type Permits = Pick<PermitHold, 'permits' | 'remainingMs'>;

/** Permits that one call has. */
export interface OpenPermits extends Held {
  readonly hold: Permits;
}

/** A call that wants permits. */
export interface PermitWait {
  had(hold: Permits): OpenPermits;
  /** It does not wait any more, whatever came of it. */
  settled(): void;
}

/** See the module comment. */
export class PermitJudge {
  readonly name: string;
  readonly #total: number;
  readonly #keys: ReturnType<typeof semaphoreKeys>;
  readonly #open = new Set<OpenPermits>();
  readonly #ids = new Set<string>();
  readonly #line: PermitLine | undefined;
  readonly #report: (violation: Violation) => void;
  readonly #excusedMs: number;
  #takenAt = Number.NEGATIVE_INFINITY;

  /** @param excusedMs - how long permits may be believed after a fault has taken them away. */
  constructor(
    { name, permits }: { readonly name: string; readonly permits: number },
    scenario: Scenario,
    excusedMs: number,
    report: (violation: Violation) => void,
  ) {
    this.name = name;
    this.#total = permits;
    this.#keys = semaphoreKeys(name);
    this.#excusedMs = excusedMs;
    this.#report = report;
    if (scenario.class === 'calm') this.#line = new PermitLine(name, permits, scenario, report);
  }

  waits(process: WorldProcess, permits: number): PermitWait {
    const place = this.#line?.joins(process.time, permits, this.#had());
    return {
      had: (hold) => {
        const entry = { process, hold, since: process.time, sinceLocal: process.clock.now() };
        this.#open.add(entry);
        if (place !== undefined) this.#line?.had(process.time, place, this.#had());
        return entry;
      },
      settled: () => {
        if (place !== undefined) this.#line?.left(process.time, place, this.#had());
      },
    };
  }

  /** It gives permits back, from now on: `all`, or so many that these are left. */
  gives(entry: OpenPermits, left: number): void {
    if (left === 0) this.#open.delete(entry);
    this.#line?.moved(entry.process.time, this.#had() - (left === 0 ? 0 : entry.hold.permits - left));
  }

  /** These stand for a permit each. */
  issued(now: number, ids: readonly string[]): void {
    const [twice] = ids.filter((id) => this.#ids.has(id));
    if (twice !== undefined) this.#fail(now, `${twice} was issued twice`);
    for (const id of ids) this.#ids.add(id);
  }

  /** What it had by ids it has as a hold now. */
  adopted(entry: OpenPermits, hold: Permits): OpenPermits {
    const own = { ...entry, hold };
    this.#open.delete(entry);
    this.#open.add(own);
    return own;
  }

  /** A caller was told that these stand for nothing, before their leases can be over. */
  unknown(now: number, ids: readonly string[]): void {
    if (this.#takenAt === Number.NEGATIVE_INFINITY) this.#fail(now, `${ids.join(', ')} are unknown before their time`);
  }

  /** What a caller was told that nobody has. */
  told(now: number, free: number): void {
    if (free < 0 || free > this.#total) this.#fail(now, `${free} of ${this.#total} are said to be free`);
  }

  /** All that the server knew was lost. */
  taken(now: number): void {
    this.#takenAt = now;
  }

  buried(process: WorldProcess): void {
    for (const entry of this.#open) if (entry.process === process) this.#open.delete(entry);
  }

  look(now: number): void {
    if (this.#had() <= this.#total || now - this.#takenAt < this.#excusedMs) return;
    let sum = 0;
    for (const entry of this.#open) if (believed(entry, now)) sum += entry.hold.permits;
    if (sum > this.#total) this.#fail(now, `${sum} of ${this.#total} are believed to be had`);
  }

  executed(now: number, server: MemoryServer, request: readonly string[]): void {
    if (request[3] !== this.#keys.count) return;
    const free = this.#freeOn(server);
    if (free === undefined) return;
    const records = this.#recordsOn(server);
    const sum = records.reduce((all, { permits }) => all + permits, free);
    if (sum !== this.#total || free < 0)
      this.#fail(now, `${free} free and ${sum - free} in ${records.length} records: there are ${this.#total}`);
  }

  /** Everybody has gone, and every lease has had time to end. */
  ended(now: number, server: MemoryServer): void {
    const { nowMs } = server.keysOf();
    for (const { permits, untilMs } of this.#recordsOn(server)) {
      // One that is over is there until somebody looks.
      if (untilMs === 0 || untilMs > nowMs) this.#fail(now, `${permits} are still had when all is over`);
    }
  }

  #had(): number {
    let sum = 0;
    for (const { hold } of this.#open) sum += hold.permits;
    return sum;
  }

  #freeOn(server: MemoryServer): number | undefined {
    const value = server.keysOf().find(this.#keys.count)?.value;
    return typeof value === 'string' ? Number(value) : undefined;
  }

  #recordsOn(server: MemoryServer): { permits: number; untilMs: number }[] {
    const value = server.keysOf().find(this.#keys.permits)?.value;
    if (!(value instanceof Map)) return [];
    const records = [...value].filter(([field]) => field.includes(':'));
    return records.map(([, entry]) => {
      const [permits, untilMs] = entry.split(' ').map(Number);
      return { permits: permits ?? 0, untilMs: untilMs ?? 0 };
    });
  }

  #fail(at: number, text: string): void {
    this.#report({ rule: 'permits', at, lock: this.name, text });
  }
}
