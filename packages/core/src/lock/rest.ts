import { duration, ordinal } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { type Granting, trustArgument } from '../queue/granting.js';
import { keysAbout } from './keys-about.js';
import { rest as operation } from './scripts.gen.js';

/** Arguments of {@link rest}. */
export interface RestOptions extends Pick<Granting, 'trust'> {
  readonly tenure: string;
  /** Number of this step in the tenure; above those of all steps before. A resent rest keeps its number. */
  readonly seq: number;
  /** How long late commands of this tenure are to be refused, in ms; 0: none can be on its way (clean). */
  readonly tombstoneMs: number;
  /** How long the lock stays taken, in ms. */
  readonly restMs: number;
}

/** Reply to {@link rest}. */
export type RestReply =
  /** Nobody has the lock any more, and nobody gets it until the time is over. `left`: none of those who wait could have it. */
  | { kind: 'resting'; left: 0 }
  /** Nothing was done: this was a late copy. */
  | { kind: 'held'; holdCount: number }
  /** The tenure is not the owner, and the lock does not rest for it. */
  | { kind: 'notHeld' };

/** Ends a tenure, all its holds, and keeps the lock taken for a while longer, by nobody. Works on a server out of memory too. */
export function rest(keys: LockKeys, options: RestOptions): Command<RestReply> {
  return command(
    operation,
    keysAbout(options.tenure, keys),
    {
      tenure: options.tenure,
      seq: ordinal('seq', options.seq, 1),
      tombstoneMs: duration('tombstoneMs', options.tombstoneMs, 0),
      restMs: duration('restMs', options.restMs, 1),
      trust: trustArgument(options),
      releaseChannel: keys.releaseChannel,
    },
    decode,
  );
}

function decode(reply: Reply): RestReply {
  const kind = reply.status({ held: 2, resting: 1, notHeld: 1 });
  if (kind === 'held') return { kind, holdCount: reply.natural(1) };
  return kind === 'resting' ? { kind, left: 0 } : { kind };
}
