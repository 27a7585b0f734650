import type { Clock } from '@holdfast/watchdog';
import type { LockLostReason } from '../errors.js';
import type { ScopedHold } from '../scopes/scope.js';
import { suffices } from '../tenure/hold-terms.js';
import { LinkedList } from '../waiting/linked-list.js';
import type { HoldRecord } from './hold-record.js';

/** What is open of a lock in this process, to be read. */
export type HeldHere = Pick<OpenHolds, 'all'>;

/**
 * The holds of one lock in this process, one inside the other, innermost last: pure memory. A hold that is still on its way to its call counts.
 *
 * Thousands of readers may have one lock, and come and go one by one: what is done for each of them looks at none of the others.
 */
export class OpenHolds extends LinkedList<HoldRecord> {
  get innermost(): HoldRecord | undefined {
    return this.last;
  }

  get depth(): number {
    return this.all.length;
  }

  get isEmpty(): boolean {
    return this.first === undefined;
  }

  /** The outermost that keeps the lease renewed: a hold whose scope has ended does not. */
  get relied(): HoldRecord | undefined {
    return this.all.find((record) => record.renewable);
  }

  has(hold: ScopedHold): boolean {
    const { first } = this;
    return hold === first || first?.isAround(hold) === true;
  }

  /** It is over, wherever it stands. */
  override remove(record: HoldRecord): boolean {
    const stood = super.remove(record);
    record.close();
    return stood;
  }

  /** Known at a glance: {@link commonTerms} are the same with and without the hold, which has just come or gone. */
  suffice(record: HoldRecord, clock: Clock): boolean {
    const others = [this.first, record.ahead ?? this.last];
    return others.some((other) => other !== undefined && other !== record && suffices(other, record, clock));
  }

  /** All of them are lost before any listener is told. Returns those that a call had. */
  loseAll(reason: LockLostReason, now: number, refusal?: Error): readonly HoldRecord[] {
    const { all } = this;
    for (const record of all) super.remove(record);
    return all.filter((record) => record.lose(reason, now, refusal));
  }
}
