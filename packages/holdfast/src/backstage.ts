/**
 * Where `holdfast/testing` meets the client. The two are separate files of one package, and a client of the one must be an instance of the class
 * in the other: so the class carries, under a name that no application meets, how to make one elsewhere than in this process, and how to end a hold
 * as its client would.
 */

import type { LockLostReason } from './errors.js';
import type { LockClientMembers } from './lock-client.js';
import type { LockClientOptions } from './options.js';
import type { Surroundings } from './surroundings.js';

/** See the module comment. */
export interface Backstage {
  /** `method`: what the options were given to; default: `createLockClient`. */
  make(options: LockClientOptions, surroundings: Surroundings, method?: string): LockClientMembers;
  /** Ends what `client` holds of the lock, for `reason`, and cancels it in Redis. Answers false when it holds nothing. */
  lose(client: LockClientMembers, name: string, reason: LockLostReason): boolean;
}

/** The property of the class that holds its {@link Backstage}. */
export const BACKSTAGE = Symbol.for('holdfast.backstage');
