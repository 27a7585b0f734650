import type { Hold } from './hold.js';

/** How a value becomes text, and text a value again. */
export interface ShareCodec<T> {
  /** What is kept in Redis: well-formed Unicode. */
  encode(value: T): string;
  /** What callers get. */
  decode(text: string): T;
}

/** Options of {@link LockClient.share}. */
export interface ShareOptions<T> {
  /** For how long who comes later finds the value, in milliseconds. At least 1, at most 2^31 (about 24.8 days). */
  ttlMs: number;
  /** Computes the value. It is given the hold of the lock: it should end when the signal of that aborts. If it releases the hold, the value is not shared. */
  fn: (hold: Hold) => T | PromiseLike<T>;
  /** Default: JSON. All callers get what `decode` gives, the one that has computed it too. */
  codec?: ShareCodec<T> | undefined;
  /** Largest value, in bytes of its text. A larger one rejects with RangeError. At least 1, below 512 MiB. Default 1 MiB (1,048,576). */
  maxBytes?: number | undefined;
  /**
   * Shares a failure of `fn` too, for so many milliseconds: who waits and who comes then rejects with SharedFailureError, and `fn` is not run. It has at
   * most 100 characters of its name and 4,000 of its message. At least 1, at most 2^31. One that comes when the call's own `signal` has
   * aborted is not shared. Default: a failure is told to the one caller whose `fn` it was, and the next one computes.
   */
  errorTtlMs?: number | undefined;
  /** Longest wait for the value of others, in milliseconds, before `fn` runs here; then LockTimeoutError. It does not bound `fn`. Default: without limit, while Redis answers. */
  waitMs?: number | undefined;
  /** Gives up waiting when it aborts: the call rejects with the signal's reason. It does not end `fn`. */
  signal?: AbortSignal | undefined;
}
