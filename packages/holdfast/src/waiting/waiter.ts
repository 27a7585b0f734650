/**
 * A waiter: one call that wants the lock, from the moment it is made until it has a hold or an answer.
 *
 * It waits once: whichever comes first of the hold, the refusal, its deadline, its abort signal, the end of its scope or the close of the
 * client settles it, and everything else is undone at that moment.
 *
 * It stands in the queue of its lock, or its hold is on the way to it ({@link Waiter.record}), or it is settled. From the way it may be sent
 * back to the queue. A call that has been answered can never acquire any
 * more; a lock that arrives for it is given to the next or given back.
 */

import { type WaitHandler, Wait } from '@holdfast/notify';
import { LockScopeError } from '../errors.js';
import { called } from '../lock-error.js';
import type { Settings } from '../settings.js';
import { none } from '../lists.js';
import type { Entry, Site } from '../reports/site.js';
import { atSite } from '../reports/caller.js';
import type { Scope, ScopedCall } from '../scopes/scope.js';
import type { ListNode } from './linked-list.js';
import type { HoldOrigin } from '../exclusive/hold-origin.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import type { LockParts } from '../client-parts.js';
import type { LockIdentity } from '../tenure/operations.js';
import type { StakeAhead } from '../tenure/stake.js';
import type { IndexEntry } from './index-entry.js';
import { firstLimitMs } from './timeout-decision.js';

/** Why a call whose time is over has no hold: others had the lock, or there was no answer yet and nothing to hold against Redis. */
export type NotAcquired = 'busy' | 'unanswered';

/**
 * What a call answers when it has its hold, or is told why not; what this throws the call rejects with. Run as part of the
 * wait, so that a waiting call is one promise, and there is no second one that waits for it. `by` is what the call was made on
 * ({@link AcquireRequest.by}): one function serves the thousands of calls that may wait, in place of a closure for each.
 */
export type Completion<T> = (outcome: HoldRecord | NotAcquired, joinedAt: number, by: never) => T;

/** What an acquisition asks for. */
export interface AcquireRequest extends HoldOrigin, LockIdentity {
  /** 0: one attempt. Absent: without limit while Redis answers. */
  readonly waitMs: number | undefined;
  /** Questions to Redis on its behalf after which it gives up, each of which has found the lock busy. Absent: no limit. */
  readonly maxAttempts: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The innermost live scope around the call. */
  readonly scope: Scope | undefined;
  /** Of a member of a multi-lock: the holds of those before it, which end after this call at the earliest. */
  readonly membersHeld?: readonly HoldRecord[] | undefined;
  /** Of a member of a multi-lock: a stake that may be had already. */
  readonly ahead?: StakeAhead | undefined;
  /** The method that was called: what stands below it in the stack is the user's. */
  readonly entry: Entry;
  /** What the call was made on: for its completion. */
  readonly by?: unknown;
  readonly completion: Completion<unknown>;
}

/** That a call waits for code around it, which waits for the call. */
export interface SelfWaitSuspicion {
  readonly holder: HoldRecord;
  /** Of the call that waits. */
  readonly site: Site;
}

/** That a reader waits until a writer has had the lock, for whom it was too late to come in with the readers that were in. */
export interface PlaceBehind {
  readonly writer: Waiter;
  readonly readers: readonly HoldRecord[];
}

/** The lock that a call waits for. */
export interface WaiterKeeper {
  /** Its time is over: settle it or move its deadline. */
  onExpire(waiter: Waiter): void;
  /** It has its answer, and it is no hold: `busy` is all that its caller sees of any refusal. */
  onLeave(waiter: Waiter, answer: 'busy' | { error: unknown }): void;
}

/** See the module comment. */
export class Waiter implements ScopedCall, WaitHandler<unknown>, ListNode<Waiter> {
  readonly request: AcquireRequest;
  readonly joinedAt: number;
  /** Its hold, while that is on the way to it: then it is not in the queue. */
  record: HoldRecord | undefined;
  isLate = false;
  /** It may be waiting for itself. */
  suspicion: SelfWaitSuspicion | undefined;
  /** Of a reader. */
  standsBehind: PlaceBehind | undefined;
  /** Its neighbours, while it stands in a queue; or while it has a {@link record}, among those whose hold is on the way. */
  ahead: Waiter | undefined;
  behind: Waiter | undefined;
  /** The call with the lower number comes first. */
  number = 0;
  /** Its places in the index of the queue: among the calls of each scope around it, or of its owner. */
  indexEntries: readonly IndexEntry<Waiter>[] = none;
  #attempts = 0;
  #keeper: WaiterKeeper;
  readonly #wait: Wait<unknown>;

  constructor(request: AcquireRequest, parts: LockParts, keeper: WaiterKeeper) {
    this.request = request;
    this.joinedAt = parts.clock.now();
    this.#keeper = keeper;
    this.#wait = new Wait<unknown>({
      timers: parts.waits,
      expiresAt: this.firstLimit(parts.settings),
      aborts: parts.aborts,
      signal: request.signal,
      handler: this,
    });
    request.scope?.awaiting(this);
  }

  get name(): string {
    return this.request.name;
  }

  get primitive(): string {
    return this.request.primitive;
  }

  get imperative(): boolean {
    return this.request.kind === 'imperative';
  }

  /** It waits in another queue of the same lock from now on. */
  moveTo(keeper: WaiterKeeper): void {
    this.#keeper = keeper;
  }

  /** Clock time at which a call that waits no longer than `waitMs` ends. */
  get until(): number {
    return this.joinedAt + (this.request.waitMs ?? Infinity);
  }

  get promise(): Promise<unknown> {
    return this.#wait.promise;
  }

  get settled(): boolean {
    return this.#wait.settled;
  }

  /** It has neither an answer nor a hold on its way. */
  get inQueue(): boolean {
    return !this.settled && this.record === undefined;
  }

  /** It asked for one attempt only. */
  get singleAttempt(): boolean {
    return this.request.waitMs === 0;
  }

  /** How many attempts it asked for. */
  get mostAttempts(): number {
    return this.singleAttempt ? 1 : (this.request.maxAttempts ?? Infinity);
  }

  /** An attempt on its behalf has found the lock busy. Answers whether that was the last. */
  attemptFailed(): boolean {
    return ++this.#attempts >= this.mostAttempts;
  }

  expireAt(time: number): void {
    this.#wait.expireAt(time);
  }

  onExpire(): void {
    this.#keeper.onExpire(this);
  }

  onAbort(_: unknown, reason: unknown): void {
    // Yours: its stack is not ours to change.
    this.fail(reason);
  }

  /** Its hold is ours, and delivered now or in the next turn of the event loop. */
  get delivering(): boolean {
    return this.record?.phase.kind === 'delivering';
  }

  /** Clock time since which Redis is asked to confirm the hold on its way to it, if it is. */
  get confirmingSince(): number | undefined {
    const phase = this.record?.phase;
    return phase?.kind === 'confirming' ? phase.since : undefined;
  }

  /** The hold that was on its way is lost: it waits again, with what is left of its patience. */
  waitOn(settings: Settings): void {
    this.expireAt(this.firstLimit(settings));
  }

  /** Only while it is not settled. */
  give(record: HoldRecord): void {
    if (this.#wait.resolve(this.complete(record))) this.left();
  }

  /** Its time is over, and there is no error to tell. */
  turnAway(refusal: NotAcquired): void {
    if (!this.settled && this.endWithout(refusal)) this.left('busy');
  }

  refuse(error: unknown): void {
    if (!this.settled) this.fail(atSite(error, this.request.site));
  }

  private fail(error: unknown): void {
    if (this.#wait.reject(error)) this.left({ error });
  }

  cancel(): void {
    this.refuse(scopeEnded(this));
  }

  private complete(outcome: HoldRecord | NotAcquired): unknown {
    const { completion, by } = this.request;
    return completion(outcome, this.joinedAt, by as never);
  }

  private endWithout(refusal: NotAcquired): boolean {
    try {
      return this.#wait.resolve(this.complete(refusal));
    } catch (error) {
      return this.#wait.reject(atSite(error, this.request.site));
    }
  }

  /** Clock time at which its patience is first to be looked at. */
  private firstLimit(settings: Settings): number {
    return this.joinedAt + firstLimitMs(this.request.waitMs, settings);
  }

  private left(refused?: 'busy' | { error: unknown }): void {
    this.request.scope?.settled(this);
    if (refused !== undefined) this.#keeper.onLeave(this, refused);
  }
}

/** What a call is told whose scope has ended before it had its lock. */
export function scopeEnded({ primitive, name }: Pick<LockIdentity, 'primitive' | 'name'>): LockScopeError {
  const message = `A call was still waiting for ${called(primitive, name)} when its scope ended: await it inside that client.run or withLock, or begin it in client.exit, unless its caller hung up`;
  return new LockScopeError(message, name);
}
