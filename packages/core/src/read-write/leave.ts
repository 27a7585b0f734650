import { type CancelReply, decodeCancelled } from '../lock/cancel.js';
import { duration } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { ReadWriteKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { grantingArguments, type ReadWriteGranting } from './granting.js';
import { keysAbout } from './keys-about.js';
import { cancel as cancelling, release as releasing } from './scripts.gen.js';

/** Arguments of {@link release} and {@link cancel}. */
export interface LeaveOptions extends ReadWriteGranting {
  readonly tenure: string;
  /** How long late commands of this tenure are to be refused, in ms; 0: none can be on its way (clean). */
  readonly tombstoneMs: number;
}

/** Reply to {@link release}: as of the lock. */
export type ReadWriteReleaseReply = { kind: 'released'; left: number } | { kind: 'notHeld' };

/** Gives the lock back, whatever the tenure holds it as, and lets in who may come in then. Works on a server out of memory too. */
export function release(keys: ReadWriteKeys, options: LeaveOptions): Command<ReadWriteReleaseReply> {
  return command(releasing, keysAbout(options.tenure, keys), argsOf(keys, options), decodeRelease);
}

/** Withdraws a tenure, whether it waits, holds the lock or neither, and lets in who may come in then. Works out of memory too. */
export function cancel(keys: ReadWriteKeys, options: LeaveOptions): Command<CancelReply> {
  return command(cancelling, keysAbout(options.tenure, keys), argsOf(keys, options), decodeCancelled);
}

function argsOf({ releaseChannel }: ReadWriteKeys, options: LeaveOptions) {
  return {
    tenure: options.tenure,
    tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 0),
    ...grantingArguments(options),
    releaseChannel,
  };
}

const statuses = { released: 1, unserved: 2, notHeld: 1 } as const;

function decodeRelease(reply: Reply): ReadWriteReleaseReply {
  const kind = reply.status(statuses);
  if (kind === 'notHeld') return { kind };
  return { kind: 'released', left: kind === 'unserved' ? reply.natural(1) : 0 };
}
