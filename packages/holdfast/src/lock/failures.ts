import { LockNotReplicatedError, LockRefusedError, LockUnavailableError } from '../errors.js';

/** Redis' answer was no, or not good enough, or there was none. */
export type Failure =
  | { kind: 'refused'; code: string; error: Error }
  | { kind: 'unconfirmed'; required: number; confirmed: number }
  | { kind: 'silent'; error: Error | undefined };

/** For those who look at a message only. */
const hint = ': is it up, and reachable from here? error.cause and the "error" event of the client may say more';

/** What to tell the caller. */
export function failureError(name: string, failure: Failure): Error {
  if (failure.kind === 'refused') return new LockRefusedError(name, failure.code, { cause: failure.error });
  if (failure.kind === 'unconfirmed') return new LockNotReplicatedError(name, failure.required, failure.confirmed);
  return new LockUnavailableError(
    `Redis gave no answer about lock "${name}" in time${hint}`,
    name,
    because(failure.error),
  );
}

/** Redis has been silent for too long. */
export function unavailableError(name: string, silentMs: number, cause: Error | undefined): LockUnavailableError {
  const message = `Redis has not answered for ${Math.round(silentMs)} ms about lock "${name}"${hint}`;
  return new LockUnavailableError(message, name, because(cause));
}

function because(cause: Error | undefined): ErrorOptions | undefined {
  return cause && { cause };
}
