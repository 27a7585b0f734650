/**
 * Inheritance: what the next hold of a lock is told of holds that were not given back. See `Inherited`.
 *
 * It is told once, to the hold that the lock comes to first, and to those inside it. Redis knows of it where other processes waited (the scripts
 * of `core/src/queue/inherited.lua`), this process where its own calls did: they waited in memory, and nobody else saw the lease end.
 *
 *      news                                             from
 *      nobody gave the lock back before we got it       the answer, or the message, that gave it to us
 *      a lease ran out that we had seen before          the ask loop
 *      our own hold was lost, and calls here wait       `bereave`
 *
 * A tenure that ends before any call had a hold of it hands the news on with the lock.
 */

import type { LockLostReason } from '../errors.js';
import type { TenureEnd } from '../tenure/operations.js';
import type { Inherited } from '../tenure/inherited.js';
import type { Stake } from '../tenure/stake.js';
import { contendBeforehand } from './admission.js';
import { type ExclusiveLock, wasHad } from './lock.js';

/** What is to be known of the present tenure, which is or was held, when it is withdrawn. Before its holds are closed. */
export function endOf(lock: ExclusiveLock): TenureEnd {
  if (wasHad(lock)) return 'lost';
  return lock.inherited === undefined ? 'released' : unusedWith(lock.inherited);
}

/** Of a tenure that no call had a hold of. News without a time stands in no lock: only this process knows of it. */
const unusedWith = ({ since }: Inherited): TenureEnd => (since === undefined ? 'lost' : 'unused');

/** The tenure is lost, or taken back: the next hold here is to know of those that calls had. Before they are closed. */
export function bereave(lock: ExclusiveLock, reason: LockLostReason): void {
  lock.keptUntil = undefined;
  if (wasHad(lock)) lock.inherited = { reason: reason === 'force-unlocked' ? 'forced' : 'expired' };
}

/** Gives back a tenure of which no call had a hold. What only this process knew of, the next owner is told too. */
export function giveBackUnused(lock: ExclusiveLock, tenure: Stake): void {
  const { inherited } = lock;
  lock.inherited = undefined;
  contendBeforehand(lock);
  if (inherited === undefined) void tenure.giveBack(lock.parts.clock.now(), () => undefined);
  else void tenure.cancel(unusedWith(inherited));
}
