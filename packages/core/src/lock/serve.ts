import { duration } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { serve as operation } from './scripts.gen.js';
import { type Granting, trustArgument } from '../queue/granting.js';

/** Reply to {@link serve}. */
export interface ServeReply {
  readonly kind: 'served';
  /** Waiters of a lock that is still free: call again, unless it was refused and there are as many as before. */
  readonly left: number;
}

/** Goes on with a grant step that met its limit among waiters that have gone. Does nothing to a lock that has an owner. */
export function serve(keys: LockKeys, options: Granting): Command<ServeReply> {
  return command(
    operation,
    keys,
    { claimMs: duration('claimMs', options.claimMs, 1), trust: trustArgument(options) },
    decodeServed,
  );
}

export function decodeServed(reply: Reply): ServeReply {
  return { kind: reply.status({ served: 2 }), left: reply.natural(1) };
}
