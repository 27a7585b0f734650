import { type HandoffReply, readPassed } from '../lock/handoff.js';
import { renewal, type RenewItem, type RenewReply } from '../lock/renew.js';
import { duration, tenureId } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { ReadWriteKeys } from '../protocol/keys.js';
import type { Command } from '../protocol/script-port.js';
import { grantingArguments, type ReadWriteGranting } from './granting.js';
import { downgrade as downgrading, raise as raising, renew as renewing } from './scripts.gen.js';

/** The writer becomes a reader, with the lease that it has; all readers that wait come in. A copy changes nothing. */
export function downgrade(
  keys: ReadWriteKeys,
  options: ReadWriteGranting & { readonly tenure: string },
): Command<HandoffReply> {
  const { releaseChannel } = keys;
  const tenure = tenureId(options.tenure);
  return command(downgrading, keys, { tenure, ...grantingArguments(options), releaseChannel }, readPassed);
}

/** Raises the lease of a holder to `leaseMs`, unless it is longer, and counts who waits; 0: only counts. Never revives a lease. */
export function raise(
  keys: ReadWriteKeys,
  { tenure, leaseMs }: { readonly tenure: string; readonly leaseMs: number },
): Command<HandoffReply> {
  return command(raising, keys, { tenure: tenureId(tenure), leaseMs: duration('leaseMs', leaseMs, 0) }, readPassed);
}

/** Raises any number of leases in one command; see `renew` of the lock. */
export function renew(items: readonly RenewItem[]): Command<RenewReply> {
  return renewal(renewing, items);
}
