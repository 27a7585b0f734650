/**
 * A hold record: one acquisition of a lock in this process, from the moment its call is let in until it is over. The hold count in Redis is the
 * number of records of the present tenure.
 *
 *   confirming -> delivering -> open -> released
 *        |            |           \---> lost -> (release tells so, once) -> released
 *        |            \-> withdrawn, the lock was lost --+
 *        \--------------------------------------------> released: the call gave up meanwhile, was refused, or was sent back to wait
 *
 * Confirming: Redis is asked for it. Delivering: it is ours, and its call is about to get it. The phase is all there is to know about where
 * the record stands; `admission.ts` makes the steps up to open, `departure.ts` those that end it. A record never decides anything about the
 * lock: it tells its holder the truth, on every read, because after a stalled event loop user code runs before any timer.
 */

import { LockLostError, type LockLostReason } from '../errors.js';
import { none, withLast, without } from '../lists.js';
import { type CallContext, completed, runIn } from '../scopes/call-context.js';
import type { Reporter } from '../reports/reporter.js';
import type { Site } from '../reports/site.js';
import { truthful } from '../truthful-signal.js';
import { openScope, type Scope, type ScopedHold } from '../scopes/scope.js';
import type { AcquiredHow } from '../reports/stats.js';
import { type Leftovers, runScope } from '../scopes/scope-end.js';
import type { Fence } from '../tenure/fence.js';
import type { HoldTerms } from '../tenure/hold-terms.js';
import type { Inherited } from '../tenure/inherited.js';
import type { LockIdentity, Side } from '../tenure/operations.js';
import type { StakeLease } from '../tenure/stake.js';
import type { ListNode } from '../waiting/linked-list.js';
import type { AcquireKind, HoldOrigin } from './hold-origin.js';
import { delivering, type HoldPhase, open, released } from './hold-phase.js';
import { lossOf } from './loss-of.js';

/** What a record asks of the lock that it is a hold of. */
export interface HoldKeeper extends LockIdentity {
  readonly parts: { readonly reporter: Pick<Reporter, 'newHoldId'> };
  readonly tenure: { readonly lease: Pick<StakeLease, 'state' | 'remainingMs'> } | undefined;
  readonly holds: { has(hold: ScopedHold): boolean };
  /** Fires the loss of the present tenure if its deadline has passed. */
  check(): void;
  release(record: HoldRecord): Promise<void>;
  abandon(record: HoldRecord): void;
  extend(record: HoldRecord, ms: number): Promise<void>;
}

/** What a record knows of the multi-lock it was taken for. */
export interface Bundled {
  /** All its members have been had. */
  readonly complete: boolean;
  /** The member whose loss ended it. */
  readonly lost: HoldRecord | undefined;
}

/** See the module comment. */
export class HoldRecord implements ScopedHold, ListNode<HoldRecord> {
  /** What it asked for; a multi-lock fixes the lease when it has all its members, and forgets the minimum when it fails. */
  terms: HoldTerms;
  readonly owner: string | undefined;
  readonly side: Side | undefined;
  readonly kind: AcquireKind;
  readonly site: Site | undefined;
  /** Its fencing token, from the moment at which the call gets it, where holds have one. */
  fence: Fence | undefined;
  /** The clock time at which the call got it; undefined until then. */
  since: number | undefined;
  /** The scope whose `unlock` undoes this hold. */
  unlockScope: Scope | undefined;
  /** The live scopes it belongs to. */
  scopes: readonly Scope[] = none;
  section: Scope | undefined;
  /** Clock time: it lasts until then at least, since any hold of the lock was extended, or a multi-lock had all its members. */
  promisedUntil: number | undefined;
  /** The holds of the multi-lock that it was taken for. */
  bundle: Bundled | undefined;
  inherited: Inherited | undefined;
  /** Its neighbours among the open holds of its lock: the next one outwards, and the next one inwards. */
  ahead: HoldRecord | undefined;
  behind: HoldRecord | undefined;
  readonly #keeper: HoldKeeper;
  #phase: HoldPhase;
  #leaving: Promise<void> | undefined;
  #abort: AbortController | undefined;
  #context: CallContext;
  #id: string | undefined;

  constructor(keeper: HoldKeeper, origin: HoldOrigin, phase: HoldPhase) {
    this.#keeper = keeper;
    this.#phase = phase;
    // Not the origin itself: that is a whole request, which a long hold would keep.
    this.terms = origin.terms;
    this.owner = origin.owner;
    this.side = origin.side;
    this.kind = origin.kind;
    this.site = origin.site;
    this.#context = origin.context;
  }

  /** Joins what is reported of it. Made on first use. */
  get id(): string {
    return (this.#id ??= this.#keeper.parts.reporter.newHoldId());
  }

  /** Where listeners are told of it. */
  get context(): CallContext {
    return this.#context;
  }

  get imperative(): boolean {
    return this.kind === 'imperative' && !this.gathering;
  }

  /** The multi-lock may still wait for other members: this is not yet there to be undone by `unlock`, and has no minimum. */
  get gathering(): boolean {
    return this.bundle?.complete === false;
  }

  /** The member of the same multi-lock for whose loss this one is given back: code inside has lost both. */
  get lostWith(): HoldRecord | undefined {
    const lost = this.bundle?.lost;
    return lost === this ? undefined : lost;
  }

  get name(): string {
    return this.#keeper.name;
  }

  get primitive(): string {
    return this.#keeper.primitive;
  }

  /** As it was when something was last known of it: see {@link lost}. */
  get phase(): HoldPhase {
    return this.#phase;
  }

  /** How its call gets it, or got it. A section may be told of when it is lost already, or given back for the loss of another member. */
  get how(): AcquiredHow {
    return this.#phase.how;
  }

  /** The call that asked for it has, or had, it. */
  get given(): boolean {
    return this.since !== undefined;
  }

  /** Lost, to its call or on the way there, or with another. Looks at the lease first. */
  get lost(): boolean {
    return 'reason' in this.checked || this.lostWith !== undefined;
  }

  /** For those who use the hold: code that reads that it is lost finds its signal aborted. */
  get state(): 'held' | 'suspect' | 'lost' | 'released' {
    const { kind } = this.checked;
    if (kind === 'lost') {
      this.announceLoss();
      return 'lost';
    }
    if (this.over) return 'released';
    return this.#keeper.tenure?.lease.state === 'suspect' ? 'suspect' : 'held';
  }

  /** Of the outermost: `hold` is further in, in the same lock. */
  isAround(hold: ScopedHold): boolean {
    return #keeper in hold && hold.#keeper === this.#keeper && hold.ahead !== undefined;
  }

  private get over(): boolean {
    return !this.renewable || this.#phase.kind === 'released';
  }

  private get checked(): HoldPhase {
    if (!this.over) this.#keeper.check();
    return this.#phase;
  }

  get signal(): AbortSignal {
    if (this.#abort === undefined) {
      this.#abort = new AbortController();
      truthful(this.#abort.signal, () => void this.state);
      // It may be listened to from now on.
      this.#context = completed(this.#context);
    }
    // Aborted before it is read when the deadline has passed and no timer could run yet.
    if (this.lost) this.announceLoss();
    return this.#abort.signal;
  }

  /** `release` has told of it. */
  get lossReported(): boolean {
    return this.#phase.kind === 'lost' && this.#phase.told;
  }

  /** Known to be lost at a clock time. */
  lostBy(time: number): boolean {
    return this.#phase.kind === 'lost' && this.#phase.at <= time;
  }

  lossError(): LockLostError {
    if (this.lostWith !== undefined) return this.lostWith.lossError();
    const { reason = 'expired', refusal } = this.#phase as Partial<Extract<HoldPhase, { kind: 'lost' }>>;
    return new LockLostError(this.name, reason, this.primitive, refusal);
  }

  remainingMs(): number {
    const { state } = this;
    return state === 'held' || state === 'suspect' ? Math.floor(this.#keeper.tenure?.lease.remainingMs() ?? 0) : 0;
  }

  deliver(): void {
    if (this.#phase.kind === 'confirming') this.#phase = delivering[this.#phase.how];
  }

  /** The call has it from now on. */
  open(how: AcquiredHow, now: number, unlockScope: Scope | undefined, inherited: Inherited | undefined): void {
    this.#phase = open[how];
    this.since = now;
    this.inherited = inherited;
    this.adopt(unlockScope);
  }

  adopt(unlockScope: Scope | undefined): void {
    this.unlockScope = unlockScope;
    unlockScope?.own(this);
  }

  belongsTo(scope: Scope): void {
    if (!this.scopes.includes(scope)) this.scopes = withLast(this.scopes, scope);
  }

  leaves(scope: Scope): void {
    this.scopes = without(this.scopes, scope);
  }

  /** Returns false when no call has lost anything by it. Runs no listener: see {@link announceLoss}. */
  lose(reason: LockLostReason, now: number, refusal?: Error): boolean {
    if (this.over) return false;
    const { kind, how } = this.#phase;
    const had = kind === 'open';
    this.#phase = had
      ? { kind: 'lost', how, reason, at: now, refusal, told: false }
      : { kind: 'withdrawn', how, reason };
    return had;
  }

  /** It is lost: aborts the signal, if it was ever read, unless it is aborted. Runs listeners. */
  announceLoss(error?: LockLostError): void {
    const abort = this.#abort;
    if (abort?.signal.aborted === false) runIn(this.#context, () => abort.abort(error ?? this.lossError()));
  }

  /** Keeps the lease of its tenure renewed. */
  get renewable(): boolean {
    return this.#phase.kind !== 'lost' && this.#phase.kind !== 'withdrawn';
  }

  close(): void {
    if (this.#phase.kind !== 'lost') this.#phase = released[this.how];
    this.unlockScope?.disown(this);
  }

  release(): Promise<void> {
    const { kind } = this.checked;
    if (kind === 'released' || kind === 'withdrawn') return Promise.resolve();
    if (kind === 'lost') return this.lossReported ? Promise.resolve() : this.reportLoss();
    return (this.#leaving = this.#keeper.release(this));
  }

  extend(ms: number): Promise<void> {
    return this.#keeper.extend(this, ms);
  }

  /** Runs `fn` in a scope in which calls re-enter this hold. */
  inside(fn: () => unknown, home: { readonly client: object; readonly leftovers: Leftovers }): unknown {
    const scope = openScope('section', home.client);
    scope.own(this);
    return runScope(scope, fn, home.leftovers);
  }

  /** For a section, which answers for all that was done on it: gives it back, and tells of a loss even if that was told, and caught, before. */
  settle(): Promise<void> {
    if (this.checked.kind === 'lost') return this.reportLoss();
    if (!this.over) return this.#keeper.release(this);
    return this.#leaving === undefined ? Promise.resolve() : lossOf(this.#leaving);
  }

  private reportLoss(): Promise<never> {
    this.unlockScope?.disown(this);
    if (this.#phase.kind === 'lost') this.#phase.told = true;
    // Only its scope has lost it: nobody is to wait for the rest of the lease.
    if (this.#keeper.holds.has(this)) this.#keeper.release(this).catch(() => undefined);
    return Promise.reject(this.lossError());
  }

  abandon(): void {
    this.#keeper.check();
    if (!this.over) this.#keeper.abandon(this);
  }
}
