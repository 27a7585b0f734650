import { LockRefusedError, LockUnavailableError } from '../errors.js';

/** Redis' answer was no, or there was none. */
export type Failure = { kind: 'refused'; code: string; error: Error } | { kind: 'silent'; error: Error | undefined };

/** What to tell the caller. */
export function failureError(name: string, failure: Failure): Error {
  if (failure.kind === 'refused') return new LockRefusedError(name, failure.code, { cause: failure.error });
  return new LockUnavailableError(`Redis could not be asked about lock "${name}"`, name, { cause: failure.error });
}

/** Redis has been silent for too long. */
export function unavailableError(name: string, silentMs: number): LockUnavailableError {
  return new LockUnavailableError(`Redis has not answered for ${Math.round(silentMs)} ms about lock "${name}"`, name);
}
