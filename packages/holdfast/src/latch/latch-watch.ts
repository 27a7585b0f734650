/**
 * Everything one client does about waiting for one latch: one lookout for all calls that wait, made with the first and gone with the last.
 *
 * A call is answered by what a look has seen that was sent after the call was made. When its time is over, it is told what a call for a lock is told.
 */

import type { ClientParts } from '../client-parts.js';
import { LockClientClosedError } from '../errors.js';
import { inTime } from '../primitives/in-time.js';
import type { LatchLook } from '../primitives/latch-operations.js';
import type { Scope } from '../scopes/scope.js';
import { type About, type Failure, failureError } from '../tenure/failures.js';
import { Lookout, type LookoutListener, type LookoutParts, type Scenery } from '../waiting/lookout.js';
import { firstLimitMs } from '../waiting/timeout-decision.js';
import { LatchWait } from './latch-wait.js';

/** What waiting for a latch needs of its client. */
export type LatchParts = LookoutParts & Pick<ClientParts, 'topology' | 'aborts' | 'limits' | 'nextTurn'>;

/** How long a call waits. */
export interface LatchPatience {
  /** 0: one look. Absent: without limit while Redis answers. */
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The innermost live scope around the call. */
  readonly scope: Scope | undefined;
}

/** What is waited for. */
export interface WatchedLatch extends About, Scenery<LatchLook> {}

/** See the module comment. */
export class LatchWatch implements LookoutListener<LatchLook> {
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

  async wait({ waitMs, signal, scope }: LatchPatience): Promise<boolean> {
    const parts = this.#parts;
    const joinedAt = parts.clock.now();
    const call = {
      joinedAt,
      until: joinedAt + (waitMs ?? Infinity),
      firstLimit: joinedAt + firstLimitMs(waitMs, parts.settings),
      singleAttempt: waitMs === 0,
      signal,
      scope,
    };
    const wait = new LatchWait(this.#latch.name, call);
    parts.limits.joined();
    this.#waiting.add(wait);
    this.#lookout.look();
    const awaited = () => ({ asking: this.#lookout, busyAt: this.#busyAt });
    const leave = () => this.#leave(wait);
    // Who aborts it may call again at once, in its place.
    const forget = signal && parts.aborts.subscribe(signal, leave);
    try {
      return (await inTime(parts, this.#latch, call, wait.answer.promise, awaited)) === true;
    } finally {
      forget?.();
      leave();
    }
  }

  refuseWaiting(): void {
    this.#refuseAll(new LockClientClosedError(this.#latch.name));
  }

  onSeen(reply: LatchLook, sentAt: number): void {
    if (reply.count > 0) this.#busyAt = sentAt;
    for (const wait of this.#waiting) {
      if (wait.call.joinedAt <= sentAt) wait.saw(reply);
      if (wait.answer.settled) this.#leave(wait);
    }
  }

  onFailed(failure: Failure): void {
    this.#refuseAll(failureError(this.#latch, failure));
  }

  #leave(wait: LatchWait): void {
    if (!this.#waiting.delete(wait)) return;
    this.#parts.limits.left();
    if (this.#waiting.size > 0) return;
    this.#lookout.stop();
    this.#onEmpty();
  }

  #refuseAll(error: unknown): void {
    for (const wait of this.#waiting) {
      wait.answer.reject(error);
      this.#leave(wait);
    }
  }
}
