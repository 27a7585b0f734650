import { duration } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { keysAbout } from './keys-about.js';
import { cancel as operation } from './scripts.gen.js';
import { type Granting, trustArgument } from '../queue/granting.js';

/** See {@link CancelOptions.end}. */
export type TenureEnd = 'lost' | 'released' | 'unused';

/** Arguments of {@link cancel}. */
export interface CancelOptions extends Granting {
  readonly tenure: string;
  /** How long late commands of this tenure are to be refused, in ms; 0: none can be on its way (clean). */
  readonly tombstoneMs: number;
  /**
   * What the next owner is to know. `lost`: it had holds, and they were lost. `released`: it had given back all it had. `unused`: nobody ever had
   * a hold of it, so that what it inherited is still to be told.
   */
  readonly end: TenureEnd;
}

/** Reply to {@link cancel}; `wasGranted`: the tenure owned the lock, which has been passed on or freed. */
export interface CancelReply {
  readonly kind: 'cancelled';
  readonly wasGranted: boolean;
  /** Waiters of the lock, free now, that are to be served by {@link serve}. */
  readonly left: number;
}

/** Withdraws a tenure, whether it waits, owns the lock (with any number of holds) or neither. Works out of memory too. */
export function cancel(keys: LockKeys, options: CancelOptions): Command<CancelReply> {
  return command(
    operation,
    keysAbout(options.tenure, keys),
    {
      tenure: options.tenure,
      tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 0),
      claimMs: duration('claimMs', options.claimMs, 1),
      trust: trustArgument(options),
      releaseChannel: keys.releaseChannel,
      end: options.end,
    },
    decodeCancelled,
  );
}

export function decodeCancelled(reply: Reply): CancelReply {
  return { kind: reply.status({ cancelled: 3 }), wasGranted: reply.flag(1), left: reply.natural(2) };
}
