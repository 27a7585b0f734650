import { type WaitHandler, Wait } from '@holdfast/notify';
import { type LatchLook, outlived } from '../primitives/latch-operations.js';
import { LockLostError } from '../errors.js';
import type { Scope, ScopedCall } from '../scopes/scope.js';
import { firstLimitMs } from '../waiting/timeout-decision.js';
import { scopeEnded } from '../waiting/waiter.js';
import type { LookoutParts } from '../waiting/lookout.js';
import type { ClientParts } from '../client-parts.js';

/** What waiting for a latch needs of its client. */
export type LatchParts = LookoutParts & Pick<ClientParts, 'topology' | 'aborts' | 'limits' | 'nextTurn'>;

/** What a call waits for, and how long. */
export interface LatchPatience {
  readonly name: string;
  /** 0: one look. Absent: without limit while Redis answers. */
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The innermost live scope around the call. */
  readonly scope: Scope | undefined;
}

/** Where a call waits. */
export interface LatchWaitKeeper {
  /** Its time is over: settle it or move its deadline. */
  onExpire(wait: LatchWait): void;
  /** It has its answer. */
  onLeave(wait: LatchWait): void;
}

/** One call that waits for a latch, until it has its answer: true when the count has reached 0. */
export class LatchWait implements ScopedCall, WaitHandler<boolean> {
  readonly primitive = 'latch';
  readonly imperative = false;
  readonly joinedAt: number;
  readonly #patience: LatchPatience;
  readonly #keeper: LatchWaitKeeper;
  readonly #wait: Wait<boolean>;
  /** The round that was under way when it was first seen. */
  #round: string | undefined;
  /** What Redis keeps of that round beyond its end; undefined when it was last seen without. */
  #mark: string | undefined;
  /** Which round had been begun last by holdfast when one was first seen to be under way. */
  #begunLast: string | undefined;

  constructor(patience: LatchPatience, parts: LatchParts, keeper: LatchWaitKeeper) {
    const { clock, waits, aborts, settings } = parts;
    this.#patience = patience;
    this.#keeper = keeper;
    this.joinedAt = clock.now();
    this.#wait = new Wait<boolean>({
      timers: waits,
      expiresAt: this.joinedAt + firstLimitMs(patience.waitMs, settings),
      aborts,
      signal: patience.signal,
      handler: this,
    });
    patience.scope?.awaiting(this);
  }

  get name(): string {
    return this.#patience.name;
  }

  get promise(): Promise<boolean> {
    return this.#wait.promise;
  }

  get singleAttempt(): boolean {
    return this.#patience.waitMs === 0;
  }

  /** Clock time at which a call that waits no longer than `waitMs` ends. */
  get until(): number {
    return this.joinedAt + (this.#patience.waitMs ?? Number.POSITIVE_INFINITY);
  }

  /**
   * The latch is so now. The count has reached 0 also when another round is under way than before: one begins only where there is no latch. A round
   * that nobody knows the name of proves nothing by itself. A round that is gone with its mark was not counted to its end.
   */
  saw({ count, round, mark }: LatchLook): void {
    if (count === 0 || this.#isNext(round, mark)) {
      if (this.#mark === undefined || outlived(this.#mark, mark)) this.answer(true);
      else this.refuse(new LockLostError(this.name, 'deleted', this.primitive));
    } else if (this.singleAttempt) this.answer(false);
    else {
      this.#round ??= round;
      this.#begunLast ??= mark;
      // One of another round is nothing of ours: an older version, or Redisson, has begun this one.
      this.#mark = this.#round !== undefined && mark.endsWith(` ${this.#round}`) ? mark : undefined;
    }
  }

  /** Redisson's rounds have no name; that one of ours has begun since shows in the mark, and not in a name or a mark that a failover brings back. */
  #isNext(round: string | undefined, mark: string): boolean {
    if (this.#round !== undefined) return round !== undefined && round !== this.#round;
    return this.#begunLast !== undefined && mark !== '' && !outlived(mark, this.#begunLast);
  }

  turnAway(): void {
    this.answer(false);
  }

  answer(isDone: boolean): void {
    if (this.#wait.resolve(isDone)) this.#left();
  }

  refuse(error: unknown): void {
    if (this.#wait.reject(error)) this.#left();
  }

  expireAt(time: number): void {
    this.#wait.expireAt(time);
  }

  onExpire(): void {
    this.#keeper.onExpire(this);
  }

  onAbort(_: unknown, reason: unknown): void {
    this.refuse(reason);
  }

  cancel(): void {
    this.refuse(scopeEnded(this));
  }

  #left(): void {
    this.#patience.scope?.settled(this);
    this.#keeper.onLeave(this);
  }
}
