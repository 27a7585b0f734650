import type { Attempts } from './votes.js';

/** Somebody else has one of the resources. Told by the event `error`, and in {@link ExecutionError.attempts}. */
export class ResourceLockedError extends Error {
  override readonly name = 'ResourceLockedError';
}

/**
 * A call did not do what it was asked for: the lock was not had, not extended, or not there any more to be released. `cause` is the error of
 * holdfast, which says more and has a stable `code`; it is absent where nothing was sent.
 */
export class ExecutionError extends Error {
  override readonly name = 'ExecutionError';
  /** What was tried: one attempt, or none when nothing was sent. */
  readonly attempts: Attempts;

  constructor(message: string, attempts: Attempts, options?: ErrorOptions) {
    super(message, options);
    this.attempts = attempts;
  }
}
