/**
 * A contender: one call that wants the lock, from the moment it is made until it has a level or an answer.
 *
 * Its wait is a one-shot waiter: whichever comes first of the level, the refusal, its deadline, its abort signal, the end of its scope or
 * the close of the client settles it, and everything else is undone at that moment. A call that has been answered can never acquire any
 * more; a lock that arrives for it is given to the next or given back.
 */

import { type WaitHandler, Wait } from '@holdfast/notify';
import { LockScopeError } from '../errors.js';
import type { Settings } from '../options.js';
import { none } from '../lists.js';
import type { Entry, Site } from '../reports/site.js';
import { atSite } from '../reports/caller.js';
import type { Scope, ScopedCall } from '../scope.js';
import type { Link } from './chain.js';
import type { Level, LevelOrigin } from './level.js';
import type { Parts } from './parts.js';
import type { Stand } from './stand.js';

/** Why a call whose time is over has no level: others had the lock, or there was no answer yet and nothing to hold against Redis. */
export type Refusal = 'busy' | 'unanswered';

/**
 * What a call answers when it has its level, or is told why not; what this throws the call rejects with. Run as part of the
 * wait, so that a waiting call is one promise and nothing else stands and waits for that.
 */
export type Ending<T> = (outcome: Level | Refusal, joinedAt: number) => T;

/** What an acquisition asks for. */
export interface AcquireRequest extends LevelOrigin {
  readonly name: string;
  /** 0: one attempt. Absent: without limit while Redis answers. */
  readonly waitMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The innermost live scope around the call. */
  readonly scope: Scope | undefined;
  /** The scope that owns the level when it was taken as a new owner, and when it re-entered. */
  readonly home: Scope | undefined;
  readonly homeOnReentry: Scope | undefined;
  /** The method that was called: what stands below it in the stack is the user's. */
  readonly entry: Entry;
  readonly ending: Ending<unknown>;
}

/** That a call waits for code around it, which waits for the call. */
export interface Suspicion {
  readonly holder: Level;
  /** Of the call that waits. */
  readonly site: Site;
}

/** The monitor's side of a contender. */
export interface ContenderKeeper {
  /** Its time is over: settle it or move its deadline. */
  onExpire(contender: Contender): void;
  /** It has its answer, and it is no level: `busy` is all that its caller sees of any refusal. */
  onLeave(contender: Contender, answer: 'busy' | { error: unknown }): void;
}

/** See the module comment. */
export class Contender implements ScopedCall, WaitHandler<unknown>, Link<Contender> {
  readonly request: AcquireRequest;
  readonly joinedAt: number;
  /** Clock time since which it waits for Redis to answer for a level on its way to it, if it does: then it is not in the line. */
  enteringSince: number | undefined;
  /** The lock is had for it and about to be delivered. */
  granted = false;
  /** It may be waiting for itself. */
  suspicion: Suspicion | undefined;
  /** Its neighbours, while it stands in a line. */
  ahead: Contender | undefined;
  behind: Contender | undefined;
  /** Who has the lower number comes first. */
  number = 0;
  /** Where it stands beside the line itself: among those of each scope around it, or of its owner. */
  stands: readonly Stand<Contender>[] = none;
  readonly #keeper: ContenderKeeper;
  readonly #waiter: Wait<unknown>;

  constructor(request: AcquireRequest, parts: Parts, keeper: ContenderKeeper) {
    this.request = request;
    this.joinedAt = parts.clock.now();
    this.#keeper = keeper;
    this.#waiter = new Wait<unknown>({
      timers: parts.waits,
      expiresAt: this.#firstLimit(parts.settings),
      aborts: parts.aborts,
      signal: request.signal,
      handler: this,
    });
    request.scope?.awaiting(this);
  }

  get name(): string {
    return this.request.name;
  }

  get imperative(): boolean {
    return this.request.kind === 'imperative';
  }

  /** Clock time at which a call that waits no longer than `waitMs` ends. */
  get until(): number {
    const { waitMs } = this.request;
    return waitMs === undefined ? Number.POSITIVE_INFINITY : this.joinedAt + waitMs;
  }

  get promise(): Promise<unknown> {
    return this.#waiter.promise;
  }

  get settled(): boolean {
    return this.#waiter.settled;
  }

  /** Asked for one attempt only. */
  get once(): boolean {
    return this.request.waitMs === 0;
  }

  expireAt(time: number): void {
    this.#waiter.expireAt(time);
  }

  onExpire(): void {
    this.#keeper.onExpire(this);
  }

  onAbort(_: unknown, reason: unknown): void {
    // Yours: its stack is not ours to change.
    this.#fail(reason);
  }

  /** The level that was on its way is lost: it waits again, with what is left of its patience. */
  waitOn(now: number, settings: Settings): void {
    this.enteringSince = undefined;
    this.granted = false;
    this.expireAt(Math.max(now, this.#firstLimit(settings)));
  }

  /** Only while it is not settled. */
  give(level: Level): void {
    this.#left(this.#waiter.resolve(this.request.ending(level, this.joinedAt)));
  }

  /** Its time is over, and there is no error to tell. */
  turnAway(refusal: Refusal): void {
    if (!this.settled && this.#left(this.#endWithout(refusal))) this.#keeper.onLeave(this, 'busy');
  }

  refuse(error: unknown): void {
    if (!this.settled) this.#fail(atSite(error, this.request.site));
  }

  #fail(error: unknown): void {
    if (this.#left(this.#waiter.reject(error))) this.#keeper.onLeave(this, { error });
  }

  cancel(): void {
    const message = `A call was still waiting for lock "${this.name}" when its scope ended: await it inside that client.run or withLock`;
    this.refuse(new LockScopeError(message, this.name));
  }

  #endWithout(refusal: Refusal): boolean {
    try {
      return this.#waiter.resolve(this.request.ending(refusal, this.joinedAt));
    } catch (error) {
      return this.#waiter.reject(atSite(error, this.request.site));
    }
  }

  /** Clock time at which its patience is first to be looked at. */
  #firstLimit({ attemptTimeoutMs, responseTimeoutMs }: Settings): number {
    const { waitMs } = this.request;
    return this.joinedAt + (waitMs === undefined ? responseTimeoutMs : waitMs === 0 ? attemptTimeoutMs : waitMs);
  }

  #left(first: boolean): boolean {
    if (first) this.request.scope?.settled(this);
    return first;
  }
}
