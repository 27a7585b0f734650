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

/**
 * The holds of one lock in this process, one inside the other: pure memory. A hold that is still on its way to its call counts.
 *
 * Most locks have one hold, and that needs no list.
 */
export class OpenHolds implements Iterable<HoldRecord> {
  #outermost: HoldRecord | undefined;
  /** Innermost last. */
  #inside: readonly HoldRecord[] = none;

  /** Innermost last. */
  get all(): readonly HoldRecord[] {
    if (this.#outermost === undefined) return none;
    return [this.#outermost, ...this.#inside];
  }

  get innermost(): HoldRecord | undefined {
    return this.#inside.length === 0 ? this.#outermost : this.#inside.at(-1);
  }

  get depth(): number {
    return this.#outermost === undefined ? 0 : 1 + this.#inside.length;
  }

  get isEmpty(): boolean {
    return this.#outermost === undefined;
  }

  /** The outermost that keeps the lease renewed: a hold whose scope has ended does not. */
  get relied(): HoldRecord | undefined {
    return this.all.find((record) => record.renewable);
  }

  has(hold: ScopedHold): boolean {
    return hold === this.#outermost || this.#inside.some((record) => record === hold);
  }

  /** The next one outwards. */
  around(record: HoldRecord): HoldRecord | undefined {
    const index = this.#inside.indexOf(record);
    return index === 0 ? this.#outermost : this.#inside[index - 1];
  }

  /** The new innermost. */
  add(record: HoldRecord): void {
    if (this.#outermost === undefined) this.#outermost = record;
    else this.#inside = withLast(this.#inside, record);
  }

  /** It is over, wherever it stands. */
  remove(record: HoldRecord): void {
    if (record === this.#outermost) {
      this.#outermost = this.#inside[0];
      this.#inside = this.#inside.length === 0 ? none : this.#inside.slice(1);
    } else this.#inside = without(this.#inside, record);
    record.close();
  }

  /** The lease that all of them need; undefined when none needs any. */
  terms(clock: Clock): LeaseTerms | undefined {
    return commonTerms(this.all, clock);
  }

  /** All of them are lost before any listener is told. Returns those that a call had. */
  loseAll(reason: LockLostReason, now: number): readonly HoldRecord[] {
    const { all } = this;
    this.#outermost = undefined;
    this.#inside = none;
    return all.filter((record) => record.lose(reason, now));
  }

  [Symbol.iterator](): IterableIterator<HoldRecord> {
    return this.all.values();
  }
}
