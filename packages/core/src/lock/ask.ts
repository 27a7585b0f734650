import { duration, ordinal } from '../protocol/arguments.js';
import { type Company, command } from '../protocol/command.js';
import type { LockKeys } from '../protocol/keys.js';
import type { Reply } from '../protocol/reply.js';
import { inOne } from '../protocol/in-one.js';
import type { Command } from '../protocol/script-port.js';
import { keysAbout } from './keys-about.js';
import { ask as operation, asks, reasks } from './scripts.gen.js';
import { type Granting, trustArgument } from '../queue/granting.js';
import { type Inherited, inheritedFrom } from '../queue/inherited.js';

/** Arguments of {@link ask}. */
export interface AskOptions extends Granting {
  readonly tenure: string;
  /** Lease of the lock if this call acquires it, in ms. */
  readonly leaseMs: number;
  /** How long from now this waiter may still be granted the lock, in ms; 0: do not queue. */
  readonly freshMs: number;
  /** The ticket of the last `wait` reply, which keeps the place; 0: none yet. */
  readonly ticket: number;
  /** Least TTL of the whole queue after this ask, in ms; one that is not longer is raised to twice as much. */
  readonly freshTtlMs: number;
}

/** What an owner learns. `others`: the number of waiting tenures; `token`: of a lock that has tokens, the first of its span. */
interface Ownership {
  readonly holdCount: number;
  readonly seq: number;
  readonly remainingMs: number;
  readonly others: number;
  readonly token: number | undefined;
}

/** Reply to {@link ask}. `nowMs` is server time. */
export type AskReply =
  /** The tenure has become the owner. `inherited` is undefined where no tenure waited: then nobody can know how the last owner ended. */
  | ({ kind: 'acquired'; inherited?: Inherited | 'nothing' } & Ownership)
  /** The tenure was the owner already, by a grant or an earlier copy of this command. */
  | ({ kind: 'mine'; inherited: Inherited | 'nothing'; nowMs: number } & Ownership)
  /** Queued; position 0 is the head. */
  | ({ kind: 'wait'; position: number; ticket: number } & Contention)
  /** Held by another owner; not queued because `freshMs` was 0. `left`: waiters of a free lock that were not come to. */
  | ({ kind: 'busy'; left: number } & Omit<Contention, 'nowMs'>)
  /** A late copy: the tenure has been cancelled or released, and nothing was done. */
  | { kind: 'dead' };

/** What a refused tenure learns about the lock. */
export interface Contention {
  /** Remaining lease of the owner; undefined when the lock has no TTL, which only a foreign writer can cause. 0: ask again at once. */
  readonly remainingMs: number | undefined;
  /** Server time. */
  readonly nowMs: number;
  /** True when the owner is no holdfast tenure, so that its release will not serve the queue. */
  readonly foreign: boolean;
  /** True when it was given back, and stays taken, by nobody, until its lease has run out. */
  readonly resting?: boolean;
}

/**
 * Acquires the lock, or takes a place in its queue, or tells that it is held.
 *
 * A newcomer never overtakes: when the lock is free while others wait, the head is granted it and the newcomer queues.
 * Refused with an error reply by a server out of memory, and (`NOTALOCK`) when the key is not a lock by its shape, without any effect.
 */
export function ask(keys: LockKeys, options: AskOptions): Command<AskReply> {
  // What reads the reply lasts as long as the command is under way, and is not to keep all of the options.
  const { leaseMs } = options;
  return command(
    operation,
    keysAbout(options.tenure, keys),
    {
      tenure: options.tenure,
      leaseMs: duration('leaseMs', leaseMs, 1),
      freshMs: duration('freshMs', options.freshMs, 0),
      ticket: ordinal('ticket', options.ticket, 0),
      freshTtlMs: duration('freshTtlMs', options.freshTtlMs, 1),
      claimMs: duration('claimMs', options.claimMs, 1),
      trust: trustArgument(options),
    },
    (reply) => readAsk(reply, leaseMs, noToken),
    company,
  );
}

const company: Company = {
  joint: (commands) => inOne(reasks, commands),
  chain: (commands) => inOne(asks, commands),
};

/** Reads the token of an owner, which must be there, or must be none. */
export type TokenReader = (reply: Reply, index: number) => number | undefined;

const noToken: TokenReader = (reply, index) => {
  if (reply.length > index && reply.text(index) !== '-') reply.fail('a token where there can be none');
  return undefined;
};

/** What the scripts of a lock answer whose tokens `token` reads. */
export function readAsk(reply: Reply, leaseMs: number, token: TokenReader): AskReply {
  const kind = reply.text(0);
  switch (kind) {
    case 'acquired':
      if (reply.length <= 2)
        return { kind, holdCount: 1, seq: 1, remainingMs: leaseMs, others: 0, token: token(reply, 1) };
      return { kind, ...ownership(reply.hasLength(7)), inherited: inheritedFrom(reply, 5), token: token(reply, 6) };
    case 'mine':
      return {
        kind,
        ...ownership(reply.hasLength(8)),
        nowMs: reply.natural(5),
        inherited: inheritedFrom(reply, 6),
        token: token(reply, 7),
      };
    default:
      return readUnowned(reply);
  }
}

/** What a lock answers a tenure that has not become its owner. */
export type Unowned = Exclude<AskReply, { kind: 'acquired' | 'mine' }>;

const refusals = { wait: 6, busy: 4, dead: 1 } as const;

/** What every lock answers such a tenure. `lengths` and `owner`: of one that does not tell of what kind its owner is. */
export function readUnowned(
  reply: Reply,
  lengths: Readonly<Record<Unowned['kind'], number>> = refusals,
  owner = ownerAt,
): Unowned {
  const kind = reply.status(lengths);
  switch (kind) {
    case 'wait':
      return {
        kind,
        remainingMs: reply.remainingMs(1),
        position: reply.natural(2),
        ticket: reply.natural(3),
        nowMs: reply.natural(4),
        ...owner(reply, 5),
      };
    case 'busy':
      return { kind, remainingMs: reply.remainingMs(1), ...owner(reply, 2), left: reply.natural(lengths.busy - 1) };
    case 'dead':
      return { kind };
  }
}

function ownerAt(reply: Reply, index: number): Pick<Contention, 'foreign' | 'resting'> {
  const owner = reply.natural(index);
  if (owner > 2) reply.fail('an unknown kind of owner');
  return { foreign: owner === 1, resting: owner === 2 };
}

function ownership(reply: Reply): Omit<Ownership, 'token'> {
  return {
    holdCount: reply.natural(1),
    seq: reply.natural(2),
    remainingMs: reply.natural(3),
    others: reply.natural(4),
  };
}
