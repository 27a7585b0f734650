import type { Clock, LeaseTerms } from '@holdfast/watchdog';
import type { LockLostReason } from '../errors.js';
import { none, withLast, without } from '../lists.js';
import type { ScopedHold } from '../scopes/scope.js';
import { commonTerms } from '../tenure/hold-terms.js';
import type { HoldRecord } from './hold-record.js';

/** What is open of a lock in this process, to be read. */
export type HeldHere = Iterable<HoldRecord> & Pick<OpenHolds, 'all' | 'has' | 'isEmpty'>;

/** What is open in several parts of one lock. */
export function together(parts: Iterable<{ readonly holds: OpenHolds }>): HeldHere {
  const all = [...parts].flatMap(({ holds }) => holds.all);
  return {
    all,
    isEmpty: all.length === 0,
    has: (hold) => all.some((record) => record === hold),
    [Symbol.iterator]: () => all.values(),
  };
}

/** The holds of one lock in this process, one inside the other: pure memory. A hold that is still on its way to its call counts. */
export class OpenHolds implements Iterable<HoldRecord> {
  #all: readonly HoldRecord[] = none;

  /** Innermost last. */
  get all(): readonly HoldRecord[] {
    return this.#all;
  }

  get innermost(): HoldRecord | undefined {
    return this.#all.at(-1);
  }

  get depth(): number {
    return this.#all.length;
  }

  get isEmpty(): boolean {
    return this.#all.length === 0;
  }

  /** The outermost that keeps the lease renewed: a hold whose scope has ended does not. */
  get relied(): HoldRecord | undefined {
    return this.#all.find((record) => record.renewable);
  }

  has(hold: ScopedHold): boolean {
    return this.#all.some((record) => record === hold);
  }

  /** The next one outwards. */
  around(record: HoldRecord): HoldRecord | undefined {
    return this.#all[this.#all.indexOf(record) - 1];
  }

  /** The new innermost. */
  add(record: HoldRecord): void {
    this.#all = withLast(this.#all, record);
  }

  /** It is over, wherever it stands. */
  remove(record: HoldRecord): void {
    this.#all = without(this.#all, record);
    record.close();
  }

  /** The lease that all of them need; undefined when none needs any. */
  terms(clock: Clock): LeaseTerms | undefined {
    return commonTerms(this.#all, clock);
  }

  /** All of them are lost before any listener is told. Returns those that a call had. */
  loseAll(reason: LockLostReason, now: number): readonly HoldRecord[] {
    const all = this.#all;
    this.#all = none;
    return all.filter((record) => record.lose(reason, now));
  }

  [Symbol.iterator](): IterableIterator<HoldRecord> {
    return this.#all.values();
  }
}
