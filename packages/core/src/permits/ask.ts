import { type AskOptions, readUnowned, type Unowned } from '../lock/ask.js';
import { duration, ordinal } from '../protocol/arguments.js';
import { command } from '../protocol/command.js';
import type { SemaphoreKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import type { Command } from '../protocol/script-port.js';
import { type Granting, trustArgument } from '../queue/granting.js';
import { readSharedOwned, type SharedOwned } from '../queue/owned.js';
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
export type PermitsAskReply = SharedOwned<number | undefined> | Unowned;

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
    readPermitsAsk(options.leaseMs),
  );
}

/** How what a tenure is answered that has asked for this lease is read. */
export function readPermitsAsk(lease: Lease): (reply: Reply) => PermitsAskReply {
  const leaseMs = lease === 'never' ? undefined : lease;
  return (reply) => readSharedOwned(reply, leaseMs, remainingMs) ?? readUnowned(reply, refusals, () => unnamed);
}

const remainingMs = (reply: Reply, index: number) => reply.remainingMs(index);

const refusals = { wait: 5, busy: 3, dead: 1 } as const;
const unnamed = { foreign: false };
