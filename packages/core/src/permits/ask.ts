import type { AskOptions, AskReply } from '../lock/ask.js';
import { duration, ordinal } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { SemaphoreKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { type Granting, trustArgument } from '../queue/granting.js';
import { type Lease, leaseArgument } from '../protocol/lease.js';
import { keysAbout } from './keys-about.js';
import { ask as operation } from './scripts.gen.js';

/** Arguments of {@link ask}. */
export interface PermitsAskOptions extends Omit<AskOptions, 'leaseMs'>, Granting {
  /** How many permits, all at once. */
  readonly wanted: number;
  readonly leaseMs: Lease;
  /** How many permits a semaphore has that there is not yet; 0: there must be one. */
  readonly initial: number;
}

/** Reply to {@link ask}. `remainingMs`: undefined when the lease never ends. Of a refusal: until the first lease of a holder may end. */
export type PermitsAskReply =
  | { kind: 'acquired'; remainingMs: number | undefined; others: number }
  | { kind: 'mine'; remainingMs: number | undefined; others: number; nowMs: number }
  | Exclude<AskReply, { kind: 'acquired' | 'mine' }>;

/** Takes permits, or a place in the queue, or tells that there are too few; see `ask` of the lock. Nobody who waits is overtaken. */
export function ask(keys: SemaphoreKeys, options: PermitsAskOptions): Command<PermitsAskReply> {
  return command(
    operation,
    keysAbout(options.tenure, keys),
    {
      tenure: options.tenure,
      wanted: duration('permits', options.wanted, 1),
      leaseMs: leaseArgument(options.leaseMs),
      freshMs: duration('freshMs', options.freshMs, 0),
      ticket: ordinal('ticket', options.ticket, 0),
      freshTtlMs: duration('freshTtlMs', options.freshTtlMs, 1),
      claimMs: duration('claimMs', options.claimMs, 1),
      trust: trustArgument(options),
      initial: duration('initial', options.initial, 0),
      releaseChannel: keys.releaseChannel,
    },
    (reply) => decode(reply, options.leaseMs),
  );
}

function decode(reply: Reply, leaseMs: Lease): PermitsAskReply {
  const kind = reply.text(0);
  switch (kind) {
    case 'acquired':
      if (reply.length === 1) return { kind, remainingMs: leaseMs === 'never' ? undefined : leaseMs, others: 0 };
      return { kind, remainingMs: reply.hasLength(3).remainingMs(1), others: reply.natural(2) };
    case 'mine':
      return {
        kind,
        remainingMs: reply.hasLength(4).remainingMs(1),
        others: reply.natural(2),
        nowMs: reply.natural(3),
      };
    default:
      return readRefused(reply);
  }
}

const refusals = { wait: 5, busy: 3, dead: 1 } as const;

/** As a lock refuses, without the kind of its owner. */
function readRefused(reply: Reply): Exclude<AskReply, { kind: 'acquired' | 'mine' }> {
  const kind = reply.status(refusals);
  switch (kind) {
    case 'wait':
      return {
        kind,
        remainingMs: reply.remainingMs(1),
        position: reply.natural(2),
        ticket: reply.natural(3),
        nowMs: reply.natural(4),
        foreign: false,
      };
    case 'busy':
      return { kind, remainingMs: reply.remainingMs(1), foreign: false, left: reply.natural(2) };
    case 'dead':
      return { kind };
  }
}
