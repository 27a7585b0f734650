/**
 * Everything one client does about waiting for one latch: one lookout for all calls that wait, made with the first and gone with the last.
 *
 * A call is answered by what a look has seen that was sent after the call was made. When its time is over, it is told what a call for a lock is told.
 */

import { whenRead } from '../connection/reading.js';
import { LockClientClosedError } from '../errors.js';
import type { LatchLook } from '../primitives/latch-operations.js';
import { type About, type Failure, failureError } from '../tenure/failures.js';
import { Lookout, type LookoutListener, type Scenery } from '../waiting/lookout.js';
import { judgeOverdue } from '../waiting/time-over.js';
import { type LatchParts, type LatchPatience, LatchWait, type LatchWaitKeeper } from './latch-wait.js';

/** What is waited for. */
export interface WatchedLatch extends About, Scenery<LatchLook> {}

/** See the module comment. */
export class LatchWatch implements LookoutListener<LatchLook>, LatchWaitKeeper {
  readonly #parts: LatchParts;
  readonly #latch: WatchedLatch;
  readonly #lookout: Lookout<LatchLook>;
  readonly #waiting = new Set<LatchWait>();
  readonly #onEmpty: () => void;
  /** The last proof that it had not reached 0. */
  #busyAt: number | undefined;

  constructor(parts: LatchParts, watched: WatchedLatch, onEmpty: () => void) {
    this.#parts = parts;
    this.#latch = watched;
    this.#onEmpty = onEmpty;
    this.#lookout = new Lookout(parts, watched, this);
  }

  wait(patience: LatchPatience): Promise<boolean> {
    const wait = new LatchWait(patience, this.#parts, this);
    this.#parts.limits.joined();
    this.#waiting.add(wait);
    this.#lookout.look();
    return wait.promise;
  }

  refuseWaiting(): void {
    this.#refuseAll(new LockClientClosedError(this.#latch.name));
  }

  onSeen(reply: LatchLook, sentAt: number): void {
    if (reply.count > 0) this.#busyAt = sentAt;
    for (const wait of this.#waiting) if (wait.joinedAt <= sentAt) wait.saw(reply);
  }

  onFailed(failure: Failure): void {
    this.#refuseAll(failureError(this.#latch, failure));
  }

  onExpire(wait: LatchWait): void {
    // A call that has its answer by then keeps it.
    whenRead(this.#parts.nextTurn, () => {
      judgeOverdue(wait, { about: this.#latch, asking: this.#lookout, busyAt: this.#busyAt }, this.#parts);
    });
  }

  onLeave(wait: LatchWait): void {
    this.#parts.limits.left();
    this.#waiting.delete(wait);
    if (this.#waiting.size > 0) return;
    this.#lookout.stop();
    this.#onEmpty();
  }

  #refuseAll(error: unknown): void {
    for (const wait of [...this.#waiting]) wait.refuse(error);
  }
}
