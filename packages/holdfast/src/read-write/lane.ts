/**
 * A lane: one tenure of a read-write lock in this process, and the calls that go by it. It is a coordinator, like that of any lock, with this policy.
 *
 *      side     who is in it                                                who may come in
 *      write    one owner, and the reads and writes inside its holds        as with the re-entrant lock; reads inside also beside each other
 *      read     readers that share the tenure, strangers to each other      a call inside a read hold, always; a stranger while the lane is open to it,
 *                                                                           which the shared coordinator decides
 *
 * A write lane becomes a read lane when its last write hold ends before the reads inside it do, or before one that was to be inside it has come in: the
 * tenure is downgraded, in one step. It never becomes a write lane again.
 */

import type { LockParts } from '../client-parts.js';
import { mayPassOn } from '../exclusive/handoff-rule.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import type { Entry, ExclusivePolicy, LockState } from '../exclusive/policy.js';
import type { OpenHolds } from '../exclusive/open-holds.js';
import { mayReenter, originsOf } from '../exclusive/reentry.js';
import { heldAround, scopesAround } from '../scopes/scope.js';
import type { Side } from '../tenure/operations.js';
import type { CountedDown, Stake } from '../tenure/stake.js';
import type { AcquireRequest, PlaceBehind, Waiter } from '../waiting/waiter.js';

/** See the module comment. */
export class LanePolicy implements ExclusivePolicy {
  readonly originsOf = originsOf;
  /** Among lanes, which Redis lets in beside each other or not. */
  readonly holders = 'one';
  /** Of readers: where their tenure has stood in line since it took its place, or is about to. */
  behind: PlaceBehind | undefined;
  /** It came to stand behind a writer when its calls had been looked at. */
  isOvertaken = false;
  #side: Side;
  readonly onOpened: (record: HoldRecord) => void;
  readonly #downgrade: (tenure: Stake) => Promise<CountedDown>;

  /** @param downgrade - makes a reader of the tenure. */
  constructor(side: Side, downgrade: (tenure: Stake) => Promise<CountedDown>, onOpened: (record: HoldRecord) => void) {
    this.#side = side;
    this.#downgrade = downgrade;
    this.onOpened = onOpened;
  }

  /** As what the tenure has the lock, or asks for it. */
  get side(): Side {
    return this.#side;
  }

  /** Writers pass it on among each other only while no other process waits: phases of readers would never come. */
  mayPassOn(tenure: Stake, parts: LockParts): boolean {
    const isWanted = tenure.otherWaiters.count > 0 && !parts.wakeup.blind;
    return this.#side === 'write' && !isWanted && mayPassOn(tenure, parts);
  }

  entry({ holds, tenure }: LockState, request: AcquireRequest): Entry {
    const inmost = this.inmost(holds);
    const inside = around(holds, request);
    if (request.side === 'write') {
      const isIn = inmost?.[0] !== undefined && inside.includes(inmost[0]);
      return isIn && holds.all.every((record) => isWrite(record) || inside.includes(record)) ? 'inside' : 'none';
    }
    if (inside.some((record) => inmost?.includes(record) ?? true)) return 'inside';
    return this.#side === 'read' && tenure?.held && !holds.isEmpty ? 'beside' : 'none';
  }

  /** Of the calls inside a writer some may have to wait for readers beside whom the next ones may read. */
  nextToEnter(lock: LockState): Waiter | undefined {
    const { holds, queue } = lock;
    if (this.inmost(holds)?.some((record) => queue.firstInside(record)) !== false)
      for (const next of queue) if (this.entry(lock, next.request) !== 'none') return next;
    return undefined;
  }

  depthOf({ holds }: LockState, request: AcquireRequest): number {
    return around(holds, request).length;
  }

  /** Holds are counted here; Redis is told when the last write hold has gone. */
  countDown({ holds }: LockState, tenure: Stake): Promise<CountedDown> {
    return this.becomesRead(holds) ? this.#downgrade(tenure) : tenure.steps.countDown();
  }

  /** Whether it has none but read holds since just now. */
  becomesRead(holds: OpenHolds): boolean {
    if (this.#side === 'read' || this.inmost(holds) !== undefined) return false;
    this.#side = 'read';
    return true;
  }

  /** The innermost write hold, and the reads that came in after it. Not looked for in a lane of readers, of whom there may be thousands. */
  private inmost(holds: OpenHolds): readonly HoldRecord[] | undefined {
    if (this.#side === 'read') return undefined;
    const { all } = holds;
    const writer = all.findLastIndex(isWrite);
    return writer < 0 ? undefined : all.slice(writer);
  }
}

/** The holds among these that the call is inside of. */
export function around(holds: OpenHolds, request: AcquireRequest): readonly HoldRecord[] {
  if (request.owner !== undefined) return holds.all.filter((record) => mayReenter(request, record));
  // Not by a look at each hold: most calls are inside of nothing, and there may be thousands of readers.
  const inside = heldAround(request.scope).filter((hold) => holds.has(hold)) as HoldRecord[];
  return [...new Set(inside)];
}

/** Whether there is anything that the call may be inside of, or ends before. Most have nothing, and there may be thousands of lanes. */
export function isInsideAnything(request: AcquireRequest): boolean {
  if ((request.owner ?? request.membersHeld) !== undefined) return true;
  return scopesAround(request.scope).some(({ holds }) => holds.size > 0);
}

export function isWrite({ side }: HoldRecord): boolean {
  return side === 'write';
}
