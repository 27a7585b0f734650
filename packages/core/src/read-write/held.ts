import type { RenewItem, RenewReply } from '../lock/renew.js';
import { decodeRenewals } from '../lock/renew.js';
import { duration, tenureId } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { ReadWriteKeys } from '../protocol/keys.js';
import { readReply, type Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { grantingArguments, type ReadWriteGranting } from './granting.js';
import { downgrade as downgrading, raise as raising, renew as renewing } from './scripts.gen.js';

/** What is left of a lease, and how many wait for what it keeps from them. `nowMs` is server time. */
export type StillHeldReply =
  | { kind: 'passed'; remainingMs: number; others: number; nowMs: number }
  /** The tenure holds the lock no more. */
  | { kind: 'lost' };

/** The writer becomes a reader, with the lease that it has; all readers that wait come in. A copy changes nothing. */
export function downgrade(
  keys: ReadWriteKeys,
  options: ReadWriteGranting & { readonly tenure: string },
): Command<StillHeldReply> {
  const { releaseChannel } = keys;
  const tenure = tenureId(options.tenure);
  return command(downgrading, keys, { tenure, ...grantingArguments(options), releaseChannel }, decode);
}

/** Raises the lease of a holder to `leaseMs`, unless it is longer, and counts who waits; 0: only counts. Never revives a lease. */
export function raise(
  keys: ReadWriteKeys,
  { tenure, leaseMs }: { readonly tenure: string; readonly leaseMs: number },
): Command<StillHeldReply> {
  return command(raising, keys, { tenure: tenureId(tenure), leaseMs: duration('leaseMs', leaseMs, 0) }, decode);
}

/** Raises any number of leases in one command; see `renew` of the lock. */
export function renew(items: readonly RenewItem[]): Command<RenewReply> {
  return {
    script: renewing,
    keys: items.flatMap(({ keys }) => renewing.keys(keys)),
    args: items.flatMap(({ tenure, leaseMs }) =>
      renewing.args({ tenure: tenureId(tenure), leaseMs: duration('leaseMs', leaseMs, 0) }),
    ),
    decode: (raw) => readReply(renewing.name, raw, (reply) => decodeRenewals(reply.hasLength(items.length + 1))),
  };
}

function decode(reply: Reply): StillHeldReply {
  const kind = reply.text(0);
  switch (kind) {
    case 'passed':
      return {
        kind,
        remainingMs: reply.hasLength(4).natural(1),
        others: reply.natural(2),
        nowMs: reply.natural(3),
      };
    case 'lost':
      reply.hasLength(1);
      return { kind };
    default:
      return reply.fail('unknown status');
  }
}
