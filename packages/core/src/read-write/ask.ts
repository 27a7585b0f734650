import { type AskOptions, readUnowned, type Unowned } from '../lock/ask.js';
import { duration, ordinal } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { ReadWriteKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { readSharedOwned, type SharedOwned } from '../queue/owned.js';
import { grantingArguments, type ReadWriteGranting, type Side, sideArgument } from './granting.js';
import { keysAbout } from './keys-about.js';
import { ask as operation } from './scripts.gen.js';

/** Arguments of {@link ask}. */
export interface ReadWriteAskOptions extends AskOptions, ReadWriteGranting {
  readonly side: Side;
}

/** Reply to {@link ask}. `others`: tenures that wait for what this one keeps from them, of a reader only writers. */
export type ReadWriteAskReply = SharedOwned<number> | Unowned;

/**
 * Takes the lock to read or to write, or a place in its queue, or tells that it is held; see `ask` of the lock. `remainingMs` of a refusal lasts
 * until the first lease of a holder may end.
 *
 * A reader joins other readers only while no writer waits.
 */
export function ask(keys: ReadWriteKeys, options: ReadWriteAskOptions): Command<ReadWriteAskReply> {
  return command(
    operation,
    keysAbout(options.tenure, keys),
    {
      tenure: options.tenure,
      side: sideArgument(options.side),
      leaseMs: duration('leaseMs', options.leaseMs, 1),
      freshMs: duration('freshMs', options.freshMs, 0),
      ticket: ordinal('ticket', options.ticket, 0),
      freshTtlMs: duration('freshTtlMs', options.freshTtlMs, 1),
      ...grantingArguments(options),
    },
    (reply) => readSharedOwned(reply, options.leaseMs, natural) ?? readUnowned(reply),
  );
}

const natural = (reply: Reply, index: number) => reply.natural(index);
