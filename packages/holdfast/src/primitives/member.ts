import type { Coordination } from '../exclusive/coordinating.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import { none, withLast, without } from '../lists.js';
import type { ScopedHold } from '../scopes/scope.js';
import type { OwnedOperations } from '../tenure/operations.js';
import type { Caller, LockHost } from './acquisition.js';
import { type Finder, holdAround, latestOfOwnerOrScope, unlocksItsOwn } from './finding.js';
import type { RLock } from './rlock.js';

/** Losses that a handle remembers. Code that never unlocks what was lost must not cost memory for ever. */
const MOST_LOSSES = 100;

/**
 * What a handle is of: a lock of one client, for one owner. Multi-locks have it as a member. It knows at most the holds that were taken through the handle
 * outside scopes; everything else lives in the coordinator.
 */
export class Member implements Caller, Finder {
  readonly lock: RLock;
  readonly host: LockHost;
  readonly operations: OwnedOperations;
  readonly policy: Coordination;
  readonly owner: string | undefined;
  #own: readonly HoldRecord[] = none;

  constructor(
    lock: RLock,
    host: LockHost,
    operations: OwnedOperations,
    policy: Coordination,
    owner: string | undefined,
  ) {
    this.lock = lock;
    this.host = host;
    this.operations = operations;
    this.policy = policy;
    this.owner = owner;
  }

  /** Taken by `lock` and `tryLock` of the handle outside scopes, oldest first. */
  get own(): readonly HoldRecord[] {
    return this.#own;
  }

  /** A call beside acquisitions. @throws LockClientClosedError */
  admit(): void {
    this.host.registry.admit(this.operations.name, () => this.around());
  }

  /** The innermost open hold that the call is inside of. */
  around(): HoldRecord | undefined {
    return holdAround(this);
  }

  /**
   * The hold of a `lock()` that began at clock time `joinedAt`, for `unlock` where no scope remembers it. A fixed lease that ran out before the call is
   * forgotten: it may have been meant to, and then needs no `unlock`. One that was to be renewed was not: its `unlock` is still to come, and must not give
   * back what another flow has.
   */
  keep(record: HoldRecord, joinedAt: number): void {
    const { unreported, forgotten } = this.host.parts;
    if (this.owner !== undefined) unreported.forget(this.operations, this.owner);
    else if (record.unlockScope === undefined) {
      this.#own = withLast(keptAfter(this.#own, joinedAt), record);
      const [oldest] = this.#own;
      if (this.#own.length > MOST_LOSSES && oldest !== undefined) this.#disown(oldest);
      forgotten.watch(this.lock, record, record);
    }
  }

  /** What `unlock` undoes. */
  latest(): ScopedHold | undefined {
    const mine = latestOfOwnerOrScope(this);
    if (mine !== undefined || !unlocksItsOwn(this)) return mine;
    // Oldest first: a hold that was lost is told to the flow that took it, and never costs a later flow its hold.
    const [oldest] = this.#own;
    if (oldest !== undefined) this.#disown(oldest);
    return oldest;
  }

  #disown(record: HoldRecord): void {
    this.#own = without(this.#own, record);
    this.host.parts.forgotten.unwatch(record);
  }
}

/** Without the fixed leases that were lost by then. */
function keptAfter(records: readonly HoldRecord[], time: number): readonly HoldRecord[] {
  if (records.length === 0) return records;
  return records.filter((record) => record.terms.mode === 'watched' || !record.lostBy(time));
}
