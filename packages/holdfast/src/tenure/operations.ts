/**
 * The operations port: what a primitive supplies to the engine.
 *
 * The engine (tenures, waiting calls, open holds) knows when to ask, to renew and to give back. It does not know by which script, on which
 * keys, nor what stands in Redis. A primitive is that knowledge, as the operations below, and a policy (see `exclusive/policy.ts`); what
 * users call is a thin facade over both. This port is declared by the engine, so an operation answers what the engine needs, and whatever else
 * its script says is the primitive's own business.
 *
 * Rules for every implementation: an operation only builds a command and does no I/O; a command may run twice, late, or never, and a copy
 * changes nothing that the first run did not change; what is told of other waiters and of the server's time comes from the reply of that
 * command.
 */

import type { Command } from '@holdfast/core';
import type { Inherited } from './inherited.js';

/** Which lock of a client is meant. Primitives on one name are strangers in one process; what they exclude of each other Redis decides. */
export interface LockIdentity {
  /** The name as users gave it. */
  readonly name: string;
  /** The primitive, by one word: `lock`. */
  readonly primitive: string;
  /** Which half of it, where it has two: readers and a writer have one lock, and each gives back its own holds. */
  readonly side?: Side | undefined;
}

/** The halves of a read-write lock. */
export type Side = 'read' | 'write';

/** Whether a call for `one` concerns a hold of `other`. */
export function isSameLock(one: LockIdentity, other: LockIdentity): boolean {
  return one.name === other.name && one.primitive === other.primitive;
}

/** Whether giving `one` back means a hold like `other`. */
export function isSameSide(one: LockIdentity, other: LockIdentity): boolean {
  return isSameLock(one, other) && one.side === other.side;
}

/** The operations of one primitive on one name. */
export interface Operations extends LockIdentity {
  /** The key whose server keeps the name. */
  readonly key: string;
  /** Tenures whose leases are of one kind are renewed together, by the {@link renew} of any of them. */
  readonly leaseKind: string;
  /** The channel on which Redisson's clients, and ours in Redisson mode, hear that the name has become free. */
  readonly releaseChannel: string;
  /** How many fencing tokens an owner is given at once, by every answer and message that makes it the owner. Absent: owners have none. */
  readonly tokenSpan?: number;

  /** Asks for such names may follow each other in one command; see {@link CommandSender.behind}. */
  readonly mayFollow?: boolean;

  /** Nested holds are counted in this process alone: Redis is not told of them, unless they want a longer lease. */
  readonly countsHere?: boolean;

  /** A lease is never shortened: {@link handoff} too only raises it. */
  readonly neverShortens?: boolean;

  /** Who is let in depends on who waits: the next call of this process takes its place in the queue before the name is given back. */
  readonly asksBeforehand?: boolean;

  /** The release has given what was had to somebody else, which replicas have to confirm as they do an acquisition. Absent: none does so. */
  readonly issued?: boolean;

  /** Takes the name, or a place in its queue, or tells that it is taken. */
  ask(tenure: string, options: AskOptions): Command<AskReply>;
  /** One more hold of a tenure that has the name. */
  again(tenure: string, options: StepOptions): Command<AgainReply>;
  /** Ends the only hold of a tenure and begins its next one, with a lease of its own. */
  handoff(tenure: string, options: StepOptions): Command<HandoffReply>;
  /** Ends one hold; the last one gives the name back. */
  release(tenure: string, options: ReleaseOptions): Command<ReleaseReply>;
  /** As release of the last hold, but the name stays taken by nobody for so long. Absent: `minHoldMs` is refused. */
  rest?(
    tenure: string,
    options: { readonly seq: number; readonly tombstoneMs: number; readonly restMs: number },
  ): Command<ReleaseReply>;
  /** Withdraws a tenure, whether it waits, has the name, or neither. `end`: what the next owner is to know of it. */
  cancel(tenure: string, options: { readonly tombstoneMs: number; readonly end: TenureEnd }): Command<Served>;
  /** Goes on with a grant step that met its limit among waiters that have gone. */
  serve(): Command<Served>;
  /** Tells who waits in a line of another library, once the name is free, or rests. Absent: there is no such line. */
  invite?(): Command<Served>;
  /** Raises the leases of any number of tenures of this kind. */
  renew(items: readonly RenewItem[]): Command<RenewReply>;
}

/** Those of a lock, which has an owner that can be asked about and forced out. */
export interface OwnedOperations extends Operations {
  /** Takes the name from its owner, whichever that is. `request`: a fresh id, which copies of the command share. */
  force(request: string, options: { readonly tombstoneMs: number }): Command<ForceReply>;
  /** Is the name taken, for how long, and how many holds has this tenure? */
  peek(tenure: string): Command<PeekReply>;
}

/** Options of {@link Operations.ask}; times in milliseconds. */
export interface AskOptions {
  /** Lease if the tenure gets the name by this command. */
  readonly leaseMs: number;
  /** For how long from now the tenure may be granted the name; 0: it takes no place in the queue. */
  readonly freshMs: number;
  /** The ticket that the last answer gave, which keeps the place; 0: none yet. */
  readonly ticket: number;
  /** How long the queue lives without another ask. */
  readonly freshTtlMs: number;
}

/** Options of what changes a held tenure. */
export interface StepOptions {
  /** Number of the step in the tenure, above those of all steps before. */
  readonly seq: number;
  /** Lease in milliseconds. */
  readonly leaseMs: number;
}

/** Options of {@link Operations.release}. */
export interface ReleaseOptions {
  /** Number of the step in the tenure, above those of all steps before. */
  readonly seq: number;
  /** How long late commands of this tenure are refused, in milliseconds; 0: none can be on its way. */
  readonly tombstoneMs: number;
  /** How many critical sections the next turn is to have, where primitives pass a lock on in memory; absent: not known. */
  readonly turn?: number | undefined;
}

/** What an owner is told. */
interface Ownership {
  readonly remainingMs: number;
  /** How many tenures wait. */
  readonly others: number;
  /** Whether the owner before gave it back; undefined where nobody waited, so that Redis cannot know. */
  readonly inherited?: Inherited | 'nothing';
  /** The first of its fencing tokens, where owners have them. */
  readonly token?: number | undefined;
}

/** The tenure has the name. */
export type Owned =
  | ({ readonly kind: 'acquired' } & Ownership)
  /** It had it before this copy of the command ran. */
  | ({ readonly kind: 'mine'; readonly nowMs: number } & Ownership);

/** What an answer tells a tenure that has not got the name. */
export interface Contention {
  /** What is left of the owner's lease; undefined when it has no end; 0: the name is free, ask again. */
  readonly remainingMs: number | undefined;
  /** Server time. */
  readonly nowMs: number;
  /** The owner is no tenure of holdfast. */
  readonly foreign: boolean;
  /** There is no owner any more, and the name stays taken until the lease has run out. */
  readonly resting?: boolean;
}

export type AskReply =
  | Owned
  /** It has a place in the queue; 0 is the head. */
  | ({ readonly kind: 'wait'; readonly position: number; readonly ticket: number } & Contention)
  /** It has none. `left`: places before it that have yet to be looked at, when the name is free. */
  | ({ readonly kind: 'busy'; readonly left: number } & Omit<Contention, 'nowMs'>)
  /** A late copy: the tenure is over. */
  | { readonly kind: 'dead' };

export type AgainReply =
  | { readonly kind: 'held'; readonly remainingMs: number | undefined }
  | { readonly kind: 'lost' };

export type HandoffReply =
  | {
      readonly kind: 'passed';
      readonly remainingMs: number | undefined;
      readonly others: number;
      readonly nowMs: number;
      readonly token?: number | undefined;
    }
  | { readonly kind: 'lost' };

export type ReleaseReply =
  /** Holds are left. */
  | { readonly kind: 'held' }
  /** The next waiter has it. */
  | { readonly kind: 'granted' }
  | ({ readonly kind: 'released' } & Served)
  /** It stays taken by nobody. */
  | ({ readonly kind: 'resting' } & Served)
  /** The tenure had nothing to release. */
  | { readonly kind: 'notHeld' };

/**
 * How a tenure ended, for the owner after it. `lost`: it had holds, and they were lost. `released`: it had given back all it had. `unused`: nobody ever
 * had a hold of it, so that what it inherited is still to be told.
 */
export type TenureEnd = 'lost' | 'released' | 'unused';

/** What a grant step has done. */
export interface Served {
  /** Waiters of a name that is free which it did not come to: {@link Operations.serve} goes on with them. */
  readonly left: number;
}

/** One tenure to be renewed. */
export interface RenewItem {
  readonly key: string;
  readonly tenure: string;
  /** Raise the remaining lease to this; 0: only look whether it is still held. */
  readonly leaseMs: number;
}

/** One outcome for each item, in order; `nowMs` is server time. */
export interface RenewReply {
  readonly nowMs: number;
  readonly outcomes: readonly RenewOutcome[];
}

export type RenewOutcome =
  | { readonly kind: 'renewed' | 'held'; readonly remainingMs: number | undefined }
  | { readonly kind: 'lost'; readonly reason: 'deleted' | 'taken' }
  /** Nothing is known about this one. */
  | { readonly kind: 'refused'; readonly message: string };

export interface ForceReply extends Served {
  /** The owner that lost the name; undefined when it was free. */
  readonly ownerBefore: string | undefined;
  /** Of a lock that has several owners: the others. */
  readonly alsoBefore?: readonly string[];
}

export interface PeekReply {
  readonly locked: boolean;
  /** Holds of the tenure that was named. */
  readonly holdCount: number;
  readonly remainingMs: number | undefined;
}
