import { LockUnavailableError } from '../errors.js';
import { describeTrouble } from './trouble.js';

/** For those who look at a message only. */
const hint = 'is it up, and reachable from here? The "error" event of the client may say more';

/** `what` was not possible because Redis cannot be reached, and why, as far as is known. */
export function unavailable(what: string, name: string | undefined, cause: Error | undefined): LockUnavailableError {
  if (cause === undefined) return new LockUnavailableError(`${what}: ${hint}`, name);
  return new LockUnavailableError(`${what}: ${describeTrouble(cause)}`, name, { cause });
}
