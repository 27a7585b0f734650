import {
  type AcquireOptions,
  type CheckedOptions,
  checkAlone,
  checkLock,
  checkTryLock,
  type LockOptions,
} from '../acquire-options.js';
import { LockNotHeldError, LockTimeoutError } from '../errors.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import type { Coordination } from '../exclusive/coordinating.js';
import { none, withLast, without } from '../lists.js';
import { shown } from '../reports/caller.js';
import { inFrame } from '../reports/site.js';
import type { ScopedHold } from '../scopes/scope.js';
import { rejection } from '../scopes/settling.js';
import type { OwnedOperations, PeekReply } from '../tenure/operations.js';
import type { Completion, NotAcquired } from '../waiting/waiter.js';
import { type CallStyle, type LockCall, type LockHost, startCall } from './acquisition.js';
import {
  type Finder,
  holdAround,
  holdsAround,
  latestOfOwnerOrScope,
  unlocksItsOwn,
  whatUnlockUndoes,
} from './finding.js';
import { type Hold, HoldHandle } from './hold.js';
import type { RLock, TryResult } from './rlock.js';
import { checkSection, runSection, type Section, type SectionHold } from './section.js';

/** Losses that a handle remembers. Code that never unlocks what was lost must not cost memory for ever. */
const MOST_LOSSES = 100;

export const callStyles = {
  lock: { kind: 'imperative', waitMs: undefined },
  tryLock: { kind: 'imperative', waitMs: 0 },
  acquire: { kind: 'object', waitMs: undefined },
  tryAcquire: { kind: 'object', waitMs: 0 },
  withLock: { kind: 'section', waitMs: undefined },
  tryWithLock: { kind: 'section', waitMs: 0 },
} as const satisfies Record<string, CallStyle>;

/** Makes what users have of a record: a {@link Hold}, or one that can do more. */
export type HoldOf<H extends Hold> = (host: LockHost, record: HoldRecord) => H;

const plainHold: HoldOf<Hold> = (host, record) => new HoldHandle(host, record);

/** What a lock is to a multi-lock that has it as a member. */
export interface Member {
  readonly lock: RLock;
  readonly host: LockHost;
  readonly operations: OwnedOperations;
  readonly owner: string | undefined;
  /** As the methods of the lock acquire it, and the call gets what `completion` makes of it. */
  take<T>(call: MemberCall<T>): Promise<T>;
  /** The hold of a `lock()` that began at clock time `joinedAt`, for `unlock()`. */
  keep(record: HoldRecord, joinedAt: number): void;
  /** The innermost open hold that the call is inside of. */
  around(): HoldRecord | undefined;
}

/** One call for a member. */
export type MemberCall<T> = Pick<
  LockCall<T>,
  'style' | 'options' | 'entry' | 'site' | 'completion' | 'membersHeld' | 'ahead'
>;

/** What a lock is as a member; undefined for what is no lock of this copy of the library. */
export let memberOf: (lock: unknown) => Member | undefined;

/** See {@link RLock}. Knows at most the holds it took outside scopes; everything else lives in the coordinator. */
export class LockHandle<H extends Hold = Hold> implements RLock<H> {
  readonly name: string;
  readonly #host: LockHost;
  readonly #operations: OwnedOperations;
  readonly #policy: Coordination;
  readonly #owner: string | undefined;
  readonly #holdOf: HoldOf<H>;
  /** Taken by `lock` and `tryLock` through this handle outside scopes, oldest first. */
  #own: readonly HoldRecord[] = none;

  static {
    memberOf = (lock) => (typeof lock === 'object' && lock !== null && #own in lock ? lock.#member : undefined);
  }

  constructor(
    host: LockHost,
    operations: OwnedOperations,
    policy: Coordination,
    owner: string | undefined,
    holdOf: HoldOf<H> = plainHold as HoldOf<H>,
  ) {
    this.#host = host;
    this.#operations = operations;
    this.#policy = policy;
    this.name = operations.name;
    this.#owner = owner;
    this.#holdOf = holdOf;
  }

  lock(options?: number | LockOptions, ...surplus: readonly unknown[]): Promise<void> {
    const check = () => checkLock(options, surplus);
    return inFrame(
      this.#call('lock', check, (outcome, joinedAt) => this.#keep(this.#must(outcome, joinedAt), joinedAt)),
    );
  }

  tryLock(waitMs?: number, leaseMs?: number, options?: { signal?: AbortSignal | undefined }): Promise<boolean> {
    const check = () => checkTryLock(waitMs, leaseMs, options);
    return inFrame(
      this.#call('tryLock', check, (outcome, joinedAt) => {
        if (typeof outcome === 'string') return false;
        this.#keep(outcome, joinedAt);
        return true;
      }),
    );
  }

  unlock(): Promise<void> {
    const hold = this.#latest();
    if (hold === undefined)
      return Promise.reject(new LockNotHeldError(this.name, whatUnlockUndoes(this.#host, this.#finder)));
    return shown(hold.release());
  }

  acquire(options?: AcquireOptions, ...surplus: readonly unknown[]): Promise<H> {
    const check = () => checkAlone(options, surplus, 'acquire');
    return inFrame(this.#call('acquire', check, (outcome, joinedAt) => this.#handOver(this.#must(outcome, joinedAt))));
  }

  tryAcquire(options?: AcquireOptions, ...surplus: readonly unknown[]): Promise<H | null> {
    const check = () => checkAlone(options, surplus, 'tryAcquire');
    return inFrame(
      this.#call('tryAcquire', check, (outcome) => (typeof outcome === 'string' ? null : this.#handOver(outcome))),
    );
  }

  withLock<T>(...args: [Section<T, H>] | [AcquireOptions, Section<T, H>]): Promise<T> {
    const [options, fn] = args.length === 1 ? [undefined, args[0]] : args;
    const check = () => checkSection('withLock', options, fn);
    const had = this.#call('withLock', check, (outcome, joinedAt) => this.#held(this.#must(outcome, joinedAt)));
    return runSection(this.#host, had, fn);
  }

  async tryWithLock<T>(options: AcquireOptions, fn: Section<T, H>): Promise<TryResult<T>> {
    const check = () => checkSection('tryWithLock', options, fn);
    const record = await shown(this.#call('tryWithLock', check, (had) => had));
    if (typeof record === 'string') return { ran: false };
    return { ran: true, value: await runSection(this.#host, this.#held(record), fn) };
  }

  async isLocked(): Promise<boolean> {
    return (await this.#peek()).locked;
  }

  async isHeldByCurrentScope(): Promise<boolean> {
    return (await this.getHoldCount()) > 0;
  }

  async getHoldCount(): Promise<number> {
    const around = holdsAround(this.#host, this.#finder);
    const hold = around.at(-1);
    const lock = this.#host.registry.find(this.#operations);
    if (hold === undefined || lock?.tenureIdOf(hold) === undefined) return 0;
    this.#admit();
    const counted = await this.#host.questions.holdCount(this.#operations, lock, hold);
    return this.#operations.countsHere && counted > 0 ? around.length : counted;
  }

  async remainTimeToLive(): Promise<number> {
    const { locked, remainingMs } = await this.#peek();
    return locked ? (remainingMs ?? -1) : -2;
  }

  async forceUnlock(): Promise<boolean> {
    this.#admit();
    const { questions, registry } = this.#host;
    return await questions.force(this.#operations, () => registry.allOf(this.name));
  }

  // ---------------------------------------------------------------- acquiring

  /** Every acquisition goes through here. Whatever is refused at once is a rejection too. */
  #call<T>(method: keyof typeof callStyles, check: () => CheckedOptions, completion: Completion<T>): Promise<T> {
    try {
      return startCall(this.#host, {
        operations: this.#operations,
        policy: this.#policy,
        owner: this.#owner,
        style: callStyles[method],
        options: check(),
        entry: this[method],
        completion,
        around: () => this.#around(),
      });
    } catch (error) {
      return rejection(error);
    }
  }

  get #member(): Member {
    return {
      lock: this,
      host: this.#host,
      operations: this.#operations,
      owner: this.#owner,
      take: (call) =>
        startCall(this.#host, {
          ...call,
          operations: this.#operations,
          policy: this.#policy,
          owner: this.#owner,
          around: () => this.#around(),
        }),
      keep: (record, joinedAt) => this.#keep(record, joinedAt),
      around: () => this.#around(),
    };
  }

  #must(outcome: HoldRecord | NotAcquired, joinedAt: number): HoldRecord {
    if (typeof outcome !== 'string') return outcome;
    throw new LockTimeoutError(this.name, this.#host.parts.clock.now() - joinedAt, outcome);
  }

  /** To code that has to release it. */
  #handOver(record: HoldRecord): H {
    const hold = this.#holdOf(this.#host, record);
    this.#host.parts.forgotten.watch(hold, record);
    return hold;
  }

  /** To a section, which gives it back. */
  #held(record: HoldRecord): SectionHold<H> {
    return { record, hold: this.#holdOf(this.#host, record), owner: this.#owner };
  }

  // ---------------------------------------------------------------- what unlock undoes

  /**
   * For `unlock` where no scope remembers the hold. A fixed lease that ran out before the call is forgotten: it may have been meant to, and
   * then needs no `unlock`. One that was to be renewed was not: its `unlock` is still to come, and must not give back what another flow has.
   */
  #keep(record: HoldRecord, joinedAt: number): void {
    const { unreported, forgotten } = this.#host.parts;
    if (this.#owner !== undefined) unreported.forget(this.#operations, this.#owner);
    else if (record.unlockScope === undefined) {
      this.#own = withLast(keptAfter(this.#own, joinedAt), record);
      const [oldest] = this.#own;
      if (this.#own.length > MOST_LOSSES && oldest !== undefined) this.#disown(oldest);
      forgotten.watch(this, record);
    }
  }

  #latest(): ScopedHold | undefined {
    const finder = this.#finder;
    const mine = latestOfOwnerOrScope(this.#host, finder);
    if (mine !== undefined || !unlocksItsOwn(this.#host, finder)) return mine;
    // Oldest first: a hold that was lost is told to the flow that took it, and never costs a later flow its hold.
    const [oldest] = this.#own;
    if (oldest !== undefined) this.#disown(oldest);
    return oldest;
  }

  #disown(record: HoldRecord): void {
    this.#own = without(this.#own, record);
    this.#host.parts.forgotten.unwatch(record);
  }

  #around(): HoldRecord | undefined {
    return holdAround(this.#host, this.#finder);
  }

  get #finder(): Finder {
    return { lock: this.#operations, owner: this.#owner, own: this.#own };
  }

  // ---------------------------------------------------------------- asking Redis

  async #peek(): Promise<Pick<PeekReply, 'locked' | 'remainingMs'>> {
    this.#admit();
    return await this.#host.questions.peek(this.#operations);
  }

  #admit(): void {
    this.#host.registry.admit(this.name, () => this.#around());
  }
}

/** Without the fixed leases that were lost by then. */
function keptAfter(records: readonly HoldRecord[], time: number): readonly HoldRecord[] {
  if (records.length === 0) return records;
  return records.filter((record) => record.terms.mode === 'watched' || !record.lostBy(time));
}
