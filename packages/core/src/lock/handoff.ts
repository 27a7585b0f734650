import { duration, ordinal, tenureId } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { handoff as operation } from './scripts.gen.js';

/** Arguments of {@link handoff}. */
export interface HandoffOptions {
  readonly tenure: string;
  /** Number of this step in the tenure; above those of all steps before. */
  readonly seq: number;
  /** Lease of the new hold, in ms. The remaining lease becomes exactly this, also when that is shorter. */
  readonly leaseMs: number;
}

/** Reply to {@link handoff}; `remainingMs` is undefined when the lock has no TTL, `others` counts waiting tenures. */
export type HandoffReply =
  | { kind: 'passed'; remainingMs: number | undefined; others: number; nowMs: number }
  | { kind: 'lost' };

/**
 * Ends the only hold of a tenure and begins the next one of the same tenure with its own lease, in one step: no
 * message is sent, the queue is not touched. `lost` when the tenure does not own the lock with exactly one hold.
 */
export function handoff(keys: LockKeys, options: HandoffOptions): Command<HandoffReply> {
  return command(
    operation,
    keys,
    {
      tenure: tenureId(options.tenure),
      seq: ordinal('seq', options.seq, 1),
      leaseMs: duration('leaseMs', options.leaseMs, 1),
    },
    readPassed,
  );
}

/** What is answered by the scripts that change what a tenure has, or look at it; `length`: with the items of its own that one adds. */
export function readPassed(reply: Reply, length = 4): HandoffReply {
  const kind = reply.status({ passed: length, lost: 1 });
  if (kind === 'lost') return { kind };
  return { kind, remainingMs: reply.remainingMs(1), others: reply.natural(2), nowMs: reply.natural(3) };
}
