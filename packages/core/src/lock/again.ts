import { duration, ordinal, tenureId } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { again as operation } from './scripts.gen.js';

/** Arguments of {@link again}. */
export interface AgainOptions {
  readonly tenure: string;
  /** Number of this step in the tenure; above those of all steps before. */
  readonly seq: number;
  /** Raise the remaining lease to this, in ms; 0: leave it. It is never shortened. */
  readonly leaseMs: number;
}

/** Reply to {@link again}; `remainingMs` is undefined when the lock has no TTL. */
export type AgainReply = { kind: 'held'; holdCount: number; remainingMs: number | undefined } | { kind: 'lost' };

/** One more hold of a tenure that owns the lock. `lost` when it does not, whatever stands under the name; then nothing was done. */
export function again(keys: LockKeys, options: AgainOptions): Command<AgainReply> {
  return command(
    operation,
    keys,
    {
      tenure: tenureId(options.tenure),
      seq: ordinal('seq', options.seq, 1),
      leaseMs: duration('leaseMs', options.leaseMs, 0),
    },
    decode,
  );
}

function decode(reply: Reply): AgainReply {
  const kind = reply.status({ held: 3, lost: 1 });
  return kind === 'lost' ? { kind } : { kind, holdCount: reply.natural(1), remainingMs: reply.remainingMs(2) };
}
