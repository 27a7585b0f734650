/**
 * A level: one open acquisition of a lock in this process. The hold count in Redis is the number of levels of the present tenure.
 *
 *   entering -> open -> released
 *        \        \---> lost -> (release tells so, once) -> released
 *         \-> released           when the call had given up meanwhile
 *
 * A level never decides anything about the lock: it remembers what happened to it and tells its holder the truth, at once and on every
 * read, because after a stalled event loop user code runs before any timer.
 */

import { LockLostError, type LockLostReason } from '../errors.js';
import { none, withLast, without } from '../lists.js';
import type { Site } from '../reports/site.js';
import type { Scope, ScopedLevel } from '../scope.js';
import type { Terms } from './terms.js';

/** What a level asks of the monitor that made it. */
export interface LevelKeeper {
  readonly name: string;
  /** Somebody wants to know where locks were taken. */
  readonly wantsSites: boolean;
  /** Fires the loss of the present tenure if its deadline has passed. */
  check(): void;
  readonly suspect: boolean;
  remainingMs(): number;
  release(level: Level): Promise<void>;
  abandon(level: Level): void;
}

/** How an acquisition was made; see {@link Level}. */
export interface LevelOrigin {
  readonly terms: Terms;
  readonly owner: string | undefined;
  readonly imperative: boolean;
  readonly site: Site | undefined;
}

/** See the module comment. */
export class Level implements ScopedLevel {
  readonly terms: Terms;
  readonly owner: string | undefined;
  readonly imperative: boolean;
  readonly site: Site | undefined;
  /** The call that asked for it has it. */
  given = false;
  /** Clock time at which the caller got it. */
  since = 0;
  /** The scope whose `unlock` undoes this level. */
  home: Scope | undefined;
  /** The live scopes it belongs to. */
  scopes: readonly Scope[] = none;
  readonly #keeper: LevelKeeper;
  #status: 'entering' | 'open' | 'lost' | 'released' = 'entering';
  #loss: { readonly reason: LockLostReason; readonly at: number } | undefined;
  #lossReported = false;
  #abort: AbortController | undefined;

  constructor(keeper: LevelKeeper, origin: LevelOrigin) {
    this.#keeper = keeper;
    // Not the origin itself: that is a whole request, which a long hold would keep.
    this.terms = origin.terms;
    this.owner = origin.owner;
    this.imperative = origin.imperative;
    this.site = keeper.wantsSites ? origin.site : undefined;
  }

  get name(): string {
    return this.#keeper.name;
  }

  get lost(): boolean {
    return this.#checked === 'lost';
  }

  /** For those who use the hold: who reads that it is lost finds its signal aborted. */
  get state(): 'held' | 'suspect' | 'lost' | 'released' {
    const status = this.#checked;
    if (status === 'lost') this.tellLoss();
    if (status === 'lost' || status === 'released') return status;
    return this.#keeper.suspect ? 'suspect' : 'held';
  }

  get #checked(): 'entering' | 'open' | 'lost' | 'released' {
    if (this.#status === 'open' || this.#status === 'entering') this.#keeper.check();
    // After `check`, which may just have changed it.
    return this.#status;
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    // Aborted before anybody reads it when the deadline has passed and no timer could run yet.
    if (this.lost) this.tellLoss();
    return this.#abort.signal;
  }

  /** Only meaningful when lost. */
  get lossReason(): LockLostReason {
    return this.#loss?.reason ?? 'expired';
  }

  /** `release` has said so. */
  get lossTold(): boolean {
    return this.#lossReported;
  }

  /** Known to be lost at a clock time. */
  lostBy(time: number): boolean {
    return this.#loss !== undefined && this.#loss.at <= time;
  }

  lossError(): LockLostError {
    return new LockLostError(this.name, this.lossReason);
  }

  remainingMs(): number {
    const { state } = this;
    return state === 'held' || state === 'suspect' ? Math.floor(this.#keeper.remainingMs()) : 0;
  }

  /** The caller has it from now on. */
  open(now: number, home: Scope | undefined): void {
    this.#status = 'open';
    this.given = true;
    this.since = now;
    this.adopt(home);
  }

  adopt(home: Scope | undefined): void {
    this.home = home;
    home?.own(this);
  }

  belongsTo(scope: Scope): void {
    if (!this.scopes.includes(scope)) this.scopes = withLast(this.scopes, scope);
  }

  leaves(scope: Scope): void {
    this.scopes = without(this.scopes, scope);
  }

  /** Returns false when no caller has lost anything by it. Nobody is told: see {@link tellLoss}. */
  lose(reason: LockLostReason, now: number): boolean {
    if (this.#status !== 'open' && this.#status !== 'entering') return false;
    const had = this.#status === 'open';
    this.#status = 'lost';
    this.#loss = { reason, at: now };
    return had;
  }

  /** It is lost: aborts the signal, if anybody has asked for it, unless it is aborted. Runs listeners. */
  tellLoss(): void {
    if (this.#abort?.signal.aborted === false) this.#abort.abort(this.lossError());
  }

  /** Keeps the lease of its tenure renewed. */
  get renewable(): boolean {
    return this.#status !== 'lost';
  }

  /** Marks the end of a held level. */
  close(): void {
    this.#status = 'released';
    this.home?.disown(this);
  }

  release(): Promise<void> {
    const status = this.#checked;
    if (status === 'released') return Promise.resolve();
    if (status !== 'lost') return this.#keeper.release(this);
    this.home?.disown(this);
    if (this.#lossReported) return Promise.resolve();
    this.#lossReported = true;
    return Promise.reject(this.lossError());
  }

  abandon(): void {
    const status = this.#checked;
    if (status === 'open' || status === 'entering') this.#keeper.abandon(this);
  }
}
