import { type HandoffReply, readPassed } from '../lock/handoff.js';
import { renewal, type RenewReply } from '../lock/renew.js';
import { duration } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { SemaphoreKeys } from '../protocol/keys.js';
import type { Lease } from '../protocol/lease.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { type Granting, trustArgument } from '../queue/granting.js';
import { keysAbout } from './keys-about.js';
import { release as releasing, renew as renewing } from './scripts.gen.js';

/** Arguments of {@link release}. */
export interface PermitsReleaseOptions extends Granting {
  readonly tenure: string;
  /** How long late commands of this tenure are to be refused, in ms; 0: none can be on its way (clean). */
  readonly tombstoneMs: number;
}

/** Reply to {@link release}. `left`: waiters that are to be served by {@link serve}. */
export type PermitsReleaseReply = { kind: 'released' | 'notHeld'; left: number };

/** Gives back all permits of a tenure, or its place in the queue, and serves who waits. Works on a server out of memory too. */
export function release(keys: SemaphoreKeys, options: PermitsReleaseOptions): Command<PermitsReleaseReply> {
  return leaving(keys, { ...options, left: 0 }, decodeRelease);
}

/** Arguments of {@link shrink}. */
export interface ShrinkOptions extends Granting {
  readonly tenure: string;
  /** How many permits it keeps. */
  readonly left: number;
}

/** Gives back what a tenure has over `left`, and serves who waits. A copy finds nothing that is over. `remainingMs`: undefined when the lease never ends. */
export function shrink(keys: SemaphoreKeys, options: ShrinkOptions): Command<HandoffReply> {
  duration('left', options.left, 1);
  return leaving(keys, { ...options, tombstoneMs: 0 }, readPassed);
}

function leaving<R>(
  keys: SemaphoreKeys,
  options: ShrinkOptions & PermitsReleaseOptions,
  decode: (reply: Reply) => R,
): Command<R> {
  return command(
    releasing,
    keysAbout(options.tenure, keys),
    {
      tenure: options.tenure,
      left: duration('left', options.left, 0),
      tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 0),
      claimMs: duration('claimMs', options.claimMs, 1),
      trust: trustArgument(options),
      releaseChannel: keys.releaseChannel,
    },
    decode,
  );
}

const statuses = { released: 1, unserved: 2, notHeld: 2 } as const;

function decodeRelease(reply: Reply): PermitsReleaseReply {
  const kind = reply.status(statuses);
  if (kind === 'released') return { kind, left: 0 };
  return { kind: kind === 'notHeld' ? kind : 'released', left: reply.natural(1) };
}

/** One tenure to be renewed. */
export interface PermitsRenewItem {
  readonly keys: Pick<SemaphoreKeys, 'permits'>;
  readonly tenure: string;
  /** Raise what is left to this; 0: only look whether it still has its permits. */
  readonly leaseMs: Lease;
}

/** Raises any number of leases in one command; see `renew` of the lock. */
export function renew(items: readonly PermitsRenewItem[]): Command<RenewReply> {
  return renewal(renewing, items);
}
