/**
 * Everything one client does about waiting for one latch: one lookout for all calls that wait, made with the first and gone with the last.
 *
 * A call is answered by what a look has seen that was sent after the call was made. When its time is over, it is told what a call for a lock is told.
 */

import type { Command } from '@holdfast/core';
import { whenRead } from '../connection/reading.js';
import { LockClientClosedError } from '../errors.js';
import type { LatchLook } from '../primitives/latch-operations.js';
import { type Failure, failureError, unavailableError } from '../tenure/failures.js';
import { Lookout, type LookoutListener } from '../waiting/lookout.js';
import { decideAtTimeout } from '../waiting/timeout-decision.js';
import { type LatchParts, type LatchPatience, LatchWait, type LatchWaitKeeper } from './latch-wait.js';

/** What is waited for. */
export interface WatchedLatch {
  readonly name: string;
  readonly primitive: 'latch';
  readonly key: string;
  readonly channel: string;
  readonly channelSlot: 'of the keys' | 'another';
  look(): Command<LatchLook>;
}

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
    whenRead(this.#parts.nextTurn, () => this.#judge(wait));
  }

  onLeave(wait: LatchWait): void {
    this.#parts.limits.left();
    this.#waiting.delete(wait);
    if (this.#waiting.size > 0) return;
    this.#lookout.stop();
    this.#onEmpty();
  }

  /** Its time is over, and all that has arrived has been read. A call that has its answer by now keeps it. */
  #judge(wait: LatchWait): void {
    const { clock, settings, topology } = this.#parts;
    const { unansweredSince, setback, trouble } = this.#lookout;
    const { key } = this.#latch;
    const { joinedAt, until, singleAttempt } = wait;
    const situation = {
      ...{ now: clock.now(), joinedAt, until, singleAttempt },
      ...{ busyAt: this.#busyAt, unansweredSince, setback, reach: topology.reachOf(key) },
    };
    const decision = decideAtTimeout(situation, settings);
    if (decision.kind === 'wait') wait.expireAt(decision.until);
    else if (decision.kind === 'unavailable') wait.refuse(unavailableError(this.#latch, decision.silentMs, trouble));
    else wait.answer(false);
  }

  #refuseAll(error: unknown): void {
    for (const wait of [...this.#waiting]) wait.refuse(error);
  }
}
