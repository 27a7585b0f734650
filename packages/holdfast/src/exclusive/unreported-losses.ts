/**
 * Losses of explicit owners of which no `unlock()` has told yet. Nothing else remembers them: such a hold belongs to no scope, and any
 * handle of the owner may unlock it. Code that never unlocks what ran out must not cost memory for ever, so only the latest are kept.
 */

import type { LockIdentity } from '../tenure/operations.js';
import type { HoldRecord } from './hold-record.js';

/** Owners of a lock that are remembered, at some 700 bytes each. */
const MOST = 1_000;

/** See the module comment. */
export class UnreportedLosses {
  /** Innermost last. The owner with the earliest loss comes first. */
  readonly #holds = new Map<string, HoldRecord[]>();

  add(lock: LockIdentity, owner: string, record: HoldRecord): void {
    const key = keyOf(lock, owner);
    const known = this.#holds.get(key);
    if (known !== undefined) {
      known.push(record);
      return;
    }
    this.#holds.set(key, [record]);
    const [oldest] = this.#holds.keys();
    if (this.#holds.size > MOST) this.#holds.delete(oldest as string);
  }

  /** The innermost that is still to be told; told it is by releasing it. */
  take(lock: LockIdentity, owner: string): HoldRecord | undefined {
    const key = keyOf(lock, owner);
    const holds = this.#holds.get(key);
    let record = holds?.pop();
    while (record?.lossReported) record = holds?.pop();
    if (holds?.length === 0) this.#holds.delete(key);
    return record;
  }

  /** The owner has taken the lock again, which it could not inside what it lost. */
  forget(lock: LockIdentity, owner: string): void {
    if (this.#holds.size > 0) this.#holds.delete(keyOf(lock, owner));
  }
}

/** Neither owners nor primitives have white space in them. */
function keyOf({ name, primitive, side }: LockIdentity, owner: string): string {
  return `${owner} ${primitive} ${side ?? ''} ${name}`;
}
