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
import { shown } from '../reports/caller.js';
import { inFrame } from '../reports/site.js';
import { rejection } from '../scopes/settling.js';
import type { OwnedOperations, PeekReply } from '../tenure/operations.js';
import type { Completion, NotAcquired } from '../waiting/waiter.js';
import { callStyles, type LockHost, startCall } from './acquisition.js';
import { holdsAround, whatUnlockUndoes } from './finding.js';
import { type Hold, HoldHandle } from './hold.js';
import { Member } from './member.js';
import type { RLock, TryResult } from './rlock.js';
import { checkSection, runSection, type SectionArgs, type SectionHold, withOptions } from './section.js';

/** Makes what users have of a record: a {@link Hold}, or one that can do more. */
export type HoldOf<H extends Hold> = (host: LockHost, record: HoldRecord) => H;

type Outcome = HoldRecord | NotAcquired;

const plainHold: HoldOf<Hold> = (host, record) => new HoldHandle(host, record);

/** What a lock is as a member; undefined for what is no lock of this copy of the library. */
export let memberOf: (lock: unknown) => Member | undefined;

/** What a call comes to: not a closure of each, see {@link Completion}. */
type Outcomes<R, H extends Hold> = (outcome: Outcome, joinedAt: number, by: LockHandle<H>) => R;

// Not static members: a class that names itself in its body is called `_LockHandle` in the bundle, which users see.
let kept: Outcomes<void, Hold>;
let keptIfHad: Outcomes<boolean, Hold>;
let handedOver: <H extends Hold>(...call: Parameters<Outcomes<H, H>>) => H;
let handedOverIfHad: <H extends Hold>(...call: Parameters<Outcomes<H, H>>) => H | null;
let heldBySection: <H extends Hold>(...call: Parameters<Outcomes<H, H>>) => SectionHold<H>;

/** See {@link RLock}. */
export class LockHandle<H extends Hold = Hold> implements RLock<H> {
  readonly name: string;
  readonly #member: Member;
  readonly #holdOf: HoldOf<H>;

  static {
    memberOf = (lock) => (typeof lock === 'object' && lock !== null && #member in lock ? lock.#member : undefined);
    kept = (outcome, joinedAt, by) => by.#member.keep(by.#must(outcome, joinedAt), joinedAt);
    keptIfHad = (outcome, joinedAt, by) => {
      if (typeof outcome === 'string') return false;
      by.#member.keep(outcome, joinedAt);
      return true;
    };
    handedOver = (outcome, joinedAt, by) => by.#handOver(by.#must(outcome, joinedAt));
    handedOverIfHad = (outcome, _, by) => (typeof outcome === 'string' ? null : by.#handOver(outcome));
    heldBySection = (outcome, joinedAt, by) => by.#held(by.#must(outcome, joinedAt));
  }

  constructor(
    host: LockHost,
    operations: OwnedOperations,
    policy: Coordination,
    owner: string | undefined,
    holdOf: HoldOf<H> = plainHold as HoldOf<H>,
  ) {
    this.name = operations.name;
    this.#member = new Member(this, host, operations, policy, owner);
    this.#holdOf = holdOf;
  }

  lock(options?: number | LockOptions, ...surplus: readonly unknown[]): Promise<void> {
    const check = () => checkLock(options, surplus);
    return inFrame(this.#call('lock', check, kept));
  }

  tryLock(waitMs?: number, leaseMs?: number, options?: { signal?: AbortSignal | undefined }): Promise<boolean> {
    const check = () => checkTryLock(waitMs, leaseMs, options);
    return inFrame(this.#call('tryLock', check, keptIfHad));
  }

  unlock(): Promise<void> {
    const hold = this.#member.latest();
    if (hold === undefined) return Promise.reject(new LockNotHeldError(this.name, whatUnlockUndoes(this.#member)));
    return shown(hold.release());
  }

  acquire(options?: AcquireOptions, ...surplus: readonly unknown[]): Promise<H> {
    const check = () => checkAlone(options, surplus, 'acquire');
    return inFrame(this.#call('acquire', check, handedOver<H>));
  }

  tryAcquire(options?: AcquireOptions, ...surplus: readonly unknown[]): Promise<H | null> {
    const check = () => checkAlone(options, surplus, 'tryAcquire');
    return inFrame(this.#call('tryAcquire', check, handedOverIfHad<H>));
  }

  withLock<T>(...args: SectionArgs<T, H>): Promise<T> {
    const [options, fn] = withOptions(args);
    const check = () => checkSection('withLock', options, fn);
    const had = this.#call('withLock', check, heldBySection<H>);
    return runSection(this.#member.host, had, fn);
  }

  async tryWithLock<T>(...args: SectionArgs<T, H>): Promise<TryResult<T>> {
    const [options, fn] = withOptions(args);
    const check = () => checkSection('tryWithLock', options, fn);
    const record = await shown(this.#call('tryWithLock', check, (had) => had));
    if (typeof record === 'string') return { ran: false };
    return { ran: true, value: await runSection(this.#member.host, this.#held(record), fn) };
  }

  async isLocked(): Promise<boolean> {
    return (await this.#peek()).locked;
  }

  async isHeldByCurrentScope(): Promise<boolean> {
    return (await this.getHoldCount()) > 0;
  }

  async getHoldCount(): Promise<number> {
    const { host, operations } = this.#member;
    const around = holdsAround(this.#member);
    const hold = around.at(-1);
    const lock = hold && host.registry.find(operations)?.lockOf(hold);
    if (lock?.tenure === undefined) return 0;
    this.#member.admit();
    const counted = await host.questions.holdCount(operations, lock);
    return operations.countsHere && counted > 0 ? around.length : counted;
  }

  async remainTimeToLive(): Promise<number> {
    const { locked, remainingMs } = await this.#peek();
    return locked ? (remainingMs ?? -1) : -2;
  }

  async forceUnlock(): Promise<boolean> {
    const { host, operations } = this.#member;
    this.#member.admit();
    return await host.questions.force(operations, () => host.registry.allOf(this.name));
  }

  // ---------------------------------------------------------------- acquiring

  /** Whatever is refused at once is a rejection too. */
  #call<T>(method: keyof typeof callStyles, check: () => CheckedOptions, completion: Completion<T>): Promise<T> {
    try {
      const style = callStyles[method];
      return startCall(this.#member, { style, options: check(), entry: this[method], by: this, completion });
    } catch (error) {
      return rejection(error);
    }
  }

  #must(outcome: Outcome, joinedAt: number): HoldRecord {
    if (typeof outcome !== 'string') return outcome;
    const { host, operations } = this.#member;
    const { parts, waitingSince = joinedAt } = host;
    throw new LockTimeoutError(this.name, parts.clock.now() - waitingSince, outcome, operations.primitive);
  }

  /** To code that has to release it. */
  #handOver(record: HoldRecord): H {
    const { host } = this.#member;
    const hold = this.#holdOf(host, record);
    host.parts.forgotten.watch(hold, record, hold);
    return hold;
  }

  /** To a section, which gives it back. */
  #held(record: HoldRecord): SectionHold<H> {
    const { host, owner } = this.#member;
    return { record, hold: this.#holdOf(host, record), owner };
  }

  // ---------------------------------------------------------------- asking Redis

  async #peek(): Promise<Pick<PeekReply, 'locked' | 'remainingMs'>> {
    const { host, operations } = this.#member;
    this.#member.admit();
    return await host.questions.peek(operations);
  }
}
