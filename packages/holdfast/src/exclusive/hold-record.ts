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
import { type CallContext, completed, runIn } from '../scopes/call-context.js';
import type { Site } from '../reports/site.js';
import type { Scope, ScopedHold } from '../scopes/scope.js';
import type { HoldTerms } from './hold-terms.js';

/** What a level asks of the coordinator that made it. */
export interface HoldKeeper {
  readonly name: string;
  /** An id for what is told of a level. */
  newHoldId(): string;
  /** Fires the loss of the present tenure if its deadline has passed. */
  check(): void;
  readonly suspect: boolean;
  remainingMs(): number;
  release(record: HoldRecord): Promise<void>;
  abandon(record: HoldRecord): void;
}

/** Who gives an acquisition back: `unlock`, whoever has the `Hold`, or the section itself. */
export type AcquireKind = 'imperative' | 'object' | 'section';

/** How an acquisition was made; see {@link HoldRecord}. */
export interface HoldOrigin {
  readonly terms: HoldTerms;
  readonly owner: string | undefined;
  readonly kind: AcquireKind;
  /** Where in the code. Sections have none, unless somebody listens. */
  readonly site: Site | undefined;
  /** Where in the tree of calls. */
  readonly context: CallContext;
}

/** See the module comment. */
export class HoldRecord implements ScopedHold {
  readonly terms: HoldTerms;
  readonly owner: string | undefined;
  readonly kind: AcquireKind;
  readonly site: Site | undefined;
  /** The call that asked for it has it. */
  given = false;
  /** Clock time at which the caller got it. */
  since = 0;
  /** The scope whose `unlock` undoes this level. */
  home: Scope | undefined;
  /** The live scopes it belongs to. */
  scopes: readonly Scope[] = none;
  /** The scope of the section that runs on it. */
  section: Scope | undefined;
  /** Reported as held for long. */
  heldLong = false;
  readonly #keeper: HoldKeeper;
  #status: 'entering' | 'open' | 'lost' | 'released' = 'entering';
  #loss: { readonly reason: LockLostReason; readonly at: number } | undefined;
  #lossReported = false;
  #leaving: Promise<void> | undefined;
  #abort: AbortController | undefined;
  #context: CallContext;
  #id: string | undefined;

  constructor(keeper: HoldKeeper, origin: HoldOrigin) {
    this.#keeper = keeper;
    // Not the origin itself: that is a whole request, which a long hold would keep.
    this.terms = origin.terms;
    this.owner = origin.owner;
    this.kind = origin.kind;
    this.site = origin.site;
    this.#context = origin.context;
  }

  /** Joins what is told of it. Made on first use. */
  get id(): string {
    this.#id ??= this.#keeper.newHoldId();
    return this.#id;
  }

  /** Where it is told. */
  get context(): CallContext {
    return this.#context;
  }

  get imperative(): boolean {
    return this.kind === 'imperative';
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
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      // Somebody listens from now on.
      this.#context = completed(this.#context);
    }
    // Aborted before anybody reads it when the deadline has passed and no timer could run yet.
    if (this.lost) this.tellLoss();
    return this.#abort.signal;
  }

  /** Only meaningful when lost. */
  get lossReason(): LockLostReason {
    return this.#loss?.reason ?? 'expired';
  }

  /** `release` has said so. */
  get lossReported(): boolean {
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
    const abort = this.#abort;
    if (abort?.signal.aborted === false) runIn(this.#context, () => abort.abort(this.lossError()));
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
    if (status === 'lost') return this.#lossReported ? Promise.resolve() : this.#reportLoss();
    this.#leaving = this.#keeper.release(this);
    return this.#leaving;
  }

  /** For who answers for all that was done on it: gives it back, and tells that it was lost even if that has been told, and caught, before. */
  settle(): Promise<void> {
    const status = this.#checked;
    if (status === 'lost') return this.#reportLoss();
    if (status !== 'released') return this.#keeper.release(this);
    return this.#leaving === undefined ? Promise.resolve() : lossOf(this.#leaving);
  }

  #reportLoss(): Promise<never> {
    this.home?.disown(this);
    this.#lossReported = true;
    return Promise.reject(this.lossError());
  }

  abandon(): void {
    const status = this.#checked;
    if (status === 'open' || status === 'entering') this.#keeper.abandon(this);
  }
}

/** Of all that a release may be told, only the loss. */
async function lossOf(leaving: Promise<void>): Promise<void> {
  try {
    await leaving;
  } catch (error) {
    if (error instanceof LockLostError) throw error;
  }
}
