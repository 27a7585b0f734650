import { LockUnavailableError } from '../errors.js';
import { describeTrouble } from './trouble.js';

/** For readers who see the message only. */
const hint = 'is Redis up, and reachable from here? The "error" event of the client may say more';

/** Why no connection will ever be there again. */
export function connectionClosed(): Error {
  return new Error('the connection to Redis has been closed');
}

/** `what` was not possible because Redis cannot be reached, and why, as far as is known. */
export function unavailable(what: string, name: string | undefined, cause: Error | undefined): LockUnavailableError {
  const why = cause === undefined ? hint : describeTrouble(cause);
  return new LockUnavailableError(`${what}: ${why}`, name, cause && { cause });
}
