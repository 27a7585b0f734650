import type { Reach } from '../connection/reach.js';
import { isLasting } from '../connection/trouble.js';
import { unavailable } from '../connection/unavailable.js';
import { called } from '../lock-error.js';
import type { LockIdentity } from './operations.js';
import { LockNodesError, LockNotReplicatedError, LockRefusedError, type LockUnavailableError } from '../errors.js';

/** Redis' answer was no, or not good enough, or there was none. */
export type Failure =
  | { kind: 'refused'; code: string; error: Error; server?: string | undefined }
  | { kind: 'unconfirmed'; required: number; confirmed: number }
  | { kind: 'silent'; error: Error | undefined }
  /** The servers are not what the lock needs. */
  | { kind: 'misplaced'; problem: string };

/** What a call was about. */
export type About = Pick<LockIdentity, 'name' | 'primitive'>;

/** What to tell the caller. */
export function failureError({ name, primitive }: About, failure: Failure): Error {
  if (failure.kind === 'refused')
    return new LockRefusedError(name, failure.code, { cause: failure.error }, primitive, failure.server);
  if (failure.kind === 'unconfirmed')
    return new LockNotReplicatedError(name, failure.required, failure.confirmed, primitive);
  if (failure.kind === 'misplaced') return new LockNodesError(failure.problem, name);
  const isAnswer = answers(failure.error);
  const outcome = isLasting(failure.error)
    ? 'cannot be asked'
    : isAnswer
      ? 'refused to answer'
      : 'gave no answer in time';
  return unavailable(`Redis ${outcome} about ${called(primitive, name)}`, name, failure.error);
}

/** Redis has been silent for too long. `reach`: as it is now. */
export function unavailableError(
  { name, primitive }: About,
  silentMs: number,
  cause: Error | undefined,
  reach: Reach,
): LockUnavailableError {
  // What it said before it fell silent is not what it has said for most of the time.
  const isSilent = 2 * (reach.silentMs ?? 0) > silentMs;
  const outcome = answers(cause) && !isSilent ? 'refused to answer' : 'not answered';
  return unavailable(
    `Redis has ${outcome} for ${Math.round(silentMs)} ms about ${called(primitive, name)}`,
    name,
    cause,
  );
}

/** It is what Redis has said itself, and not that nothing came from there: not that another server is to be asked, which may be silent. */
function answers(error: Error | undefined): boolean {
  return error !== undefined && /^(?!MOVED |ASK )[A-Z]{3,} /.test(error.message);
}
