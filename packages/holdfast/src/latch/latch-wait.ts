import { quietWait } from '@holdfast/notify';
import { LockLostError } from '../errors.js';
import { type LatchLook, outlived } from '../primitives/latch-operations.js';

/** The call. One with a single attempt is answered by the first look. */
export interface LatchCall {
  readonly joinedAt: number;
  readonly singleAttempt: boolean;
}

/** What one call that waits for a latch has seen of it, until that answers it: true when the count has reached 0. */
export class LatchWait {
  readonly answer = quietWait<boolean>();
  readonly call: LatchCall;
  readonly #name: string;
  /** The round that was under way when it was first seen. */
  #round: string | undefined;
  /** What Redis keeps of that round beyond its end; undefined when it was last seen without. */
  #mark: string | undefined;
  /** Which round had been begun last by holdfast when one was first seen to be under way. */
  #begunLast: string | undefined;

  constructor(name: string, call: LatchCall) {
    this.#name = name;
    this.call = call;
  }

  /**
   * The latch is so now. The count has reached 0 also when another round is under way than before: one begins only where there is no latch. A round
   * that nobody knows the name of proves nothing by itself. A round that is gone with its mark was not counted to its end.
   */
  saw({ count, round, mark }: LatchLook): void {
    if (count === 0 || this.#isNext(round, mark)) {
      if (this.#mark === undefined || outlived(this.#mark, mark)) this.answer.resolve(true);
      else this.answer.reject(new LockLostError(this.#name, 'deleted', 'latch'));
    } else if (this.call.singleAttempt) this.answer.resolve(false);
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
}
