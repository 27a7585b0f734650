import {
  type AcquireOptions,
  type CheckedOptions,
  checkAlone,
  checkLock,
  checkTryLock,
  type LockOptions,
} from '../acquire-options.js';
import { LockTimeoutError } from '../errors.js';
import { lostAround } from '../exclusive/reentry.js';
import { atCaller, shown } from '../reports/caller.js';
import { inFrame } from '../reports/site.js';
import { isTraced, traces } from '../reports/tracing.js';
import { currentScope, type Scope } from '../scopes/scope.js';
import { rejection } from '../scopes/settling.js';
import { type Completion, type NotAcquired, scopeEnded } from '../waiting/waiter.js';
import { callStyles, type LockHost, longestOf, siteOf, startCall } from './acquisition.js';
import { type Hold, HoldHandle } from './hold.js';
import { all, HoldBundle, type TakenMember, together } from './hold-bundle.js';
import type { Member } from './member.js';
import { MembersAhead } from './members-ahead.js';
import type { MultiLock } from './multi-lock.js';
import { beginStep, fixLeases, type MultiCall, withdraw } from './multi-steps.js';
import type { TryResult } from './rlock.js';
import {
  checkSection,
  type Section,
  type SectionArgs,
  sectionTracedForEach,
  settleAfter,
  withOptions,
} from './section.js';

/** The member that the call did not get. */
interface Missed {
  readonly member: Member;
  readonly found: NotAcquired;
  readonly waitedMs: number;
}

/** See {@link MultiLock}. It has no state: each acquisition is a bundle of holds of the members. */
export class MultiLockHandle implements MultiLock {
  readonly name: string;
  readonly names: readonly string[];
  readonly #host: LockHost;
  /** In the order in which they are taken. */
  readonly #members: readonly Member[];

  constructor(host: LockHost, members: readonly Member[]) {
    this.#host = host;
    this.#members = members;
    this.names = members.map(({ operations }) => operations.name);
    this.name = this.names.join(' + ');
  }

  lock(options?: number | LockOptions, ...surplus: readonly unknown[]): Promise<void> {
    const check = () => checkLock(options, surplus);
    return inFrame(this.#call('lock', check, (outcome) => keep(must(outcome))));
  }

  tryLock(waitMs?: number, leaseMs?: number, options?: { signal?: AbortSignal | undefined }): Promise<boolean> {
    const check = () => checkTryLock(waitMs, leaseMs, options);
    return inFrame(
      this.#call('tryLock', check, (outcome) => {
        if (!(outcome instanceof HoldBundle)) return false;
        keep(outcome);
        return true;
      }),
    );
  }

  async unlock(): Promise<void> {
    await all(together(this.#members, () => this.#members.toReversed().map(({ lock }) => lock.unlock())));
  }

  acquire(options?: AcquireOptions, ...surplus: readonly unknown[]): Promise<Hold> {
    const check = () => checkAlone(options, surplus, 'acquire');
    return inFrame(this.#call('acquire', check, (outcome) => this.#handOver(must(outcome))));
  }

  tryAcquire(options?: AcquireOptions, ...surplus: readonly unknown[]): Promise<Hold | null> {
    const check = () => checkAlone(options, surplus, 'tryAcquire');
    return inFrame(
      this.#call('tryAcquire', check, (outcome) => (outcome instanceof HoldBundle ? this.#handOver(outcome) : null)),
    );
  }

  async withLock<T>(...args: SectionArgs<T>): Promise<T> {
    const [options, fn] = withOptions(args);
    const check = () => checkSection('withLock', options, fn);
    return this.#section(await this.#call('withLock', check, must), fn);
  }

  async tryWithLock<T>(...args: SectionArgs<T>): Promise<TryResult<T>> {
    const [options, fn] = withOptions(args);
    const check = () => checkSection('tryWithLock', options, fn);
    const outcome = await this.#call('tryWithLock', check, (had) => had);
    return outcome instanceof HoldBundle ? { ran: true, value: await this.#section(outcome, fn) } : { ran: false };
  }

  async isLocked(): Promise<boolean> {
    return (await this.#each(({ lock }) => lock.isLocked())).includes(true);
  }

  async isHeldByCurrentScope(): Promise<boolean> {
    return (await this.getHoldCount()) > 0;
  }

  async getHoldCount(): Promise<number> {
    return Math.min(...(await this.#each(({ lock }) => lock.getHoldCount())));
  }

  async remainTimeToLive(): Promise<number> {
    const remaining = await this.#each(({ lock }) => lock.remainTimeToLive());
    if (remaining.includes(-2)) return -2;
    const ending = remaining.filter((ms) => ms >= 0);
    return ending.length === 0 ? -1 : Math.min(...ending);
  }

  async forceUnlock(): Promise<boolean> {
    return (await this.#each(({ lock }) => lock.forceUnlock())).includes(true);
  }

  #each<T>(ask: (member: Member) => Promise<T>): Promise<T[]> {
    return Promise.all(this.#members.map(ask));
  }

  // ---------------------------------------------------------------- acquiring

  /** Every acquisition goes through here. Whatever is refused at once is a rejection too. */
  #call<T>(
    method: keyof typeof callStyles,
    check: () => CheckedOptions,
    completion: (outcome: HoldBundle | Missed) => T,
  ): Promise<T> {
    try {
      const options = check();
      const style = callStyles[method];
      const entry = this[method];
      const site = siteOf(this.#host, this.#members[0]?.owner, { style, entry });
      const { clock } = this.#host.parts;
      const joinedAt = clock.now();
      const { waitMs = style.waitMs } = options;
      const until = joinedAt + (waitMs ?? Infinity);
      const ahead = new MembersAhead(this.#members, memberOptions(options));
      const outcome = this.#takeAll({ style, options, waitMs, entry, site, joinedAt, until, ahead }).then((taken) =>
        completion(taken instanceof HoldBundle ? taken.gathered() : taken),
      );
      return shown(outcome);
    } catch (error) {
      return rejection(error);
    }
  }

  /** All members, in order; or none, and why. */
  async #takeAll(call: MultiCall): Promise<HoldBundle | Missed> {
    const { options, joinedAt } = call;
    const { parts } = this.#host;
    const { clock, aborts } = parts;
    for (const { host, operations } of this.#members) host.parts.limits.checkLease(operations, longestOf(options));
    const bundle = new HoldBundle(this.name);
    /** Ends the wait for a member: the caller's signal, or the loss of one that is held, here or around this call. */
    const end = new AbortController();
    let [turn] = this.#members;
    const leaves = [this.#awaited(() => end.abort(scopeEnded((turn as Member).operations)))];
    const endsWith = ({ signal }: Pick<CheckedOptions, 'signal'>) =>
      signal && leaves.push(aborts.subscribe(signal, () => end.abort(signal.reason)));
    endsWith(options);
    endsWith(bundle);
    // Where a hold of a member around this call is lost, that member is asked for first: its call rejects, and nobody waits for the others.
    const lost = this.#members.find((member) => lostAround(member.operations, scopeOf(member), endsWith));
    const miss = async (member: Member, found: NotAcquired): Promise<Missed> => {
      await withdraw(bundle, call, parts);
      return { member, found, waitedMs: clock.now() - joinedAt };
    };
    try {
      for (const member of lost === undefined ? this.#members : [lost, ...this.#members]) {
        turn = member;
        beginStep(call, parts);
        const found = await this.#takeNext(call, bundle, member, end.signal);
        if (found !== undefined) return await miss(member, found);
      }
      const { leaseMs } = options;
      beginStep(call, parts);
      const late = leaseMs && (await fixLeases(bundle, leaseMs, { ...call, signal: end.signal }));
      if (late) return await miss(late, 'unanswered');
      // Over while others were waited for, or lost, and no wait was left to end.
      bundle.check();
      end.signal.throwIfAborted();
      return bundle;
    } catch (error) {
      await withdraw(bundle, call, parts);
      throw error;
    } finally {
      for (const leave of leaves) leave();
    }
  }

  /** The scopes around the call cancel it as a whole: between two steps it waits for none of its members. */
  #awaited(cancel: () => void): () => void {
    const call = { name: this.name, primitive: 'multi', imperative: false, cancel };
    const scopes = this.#members.map(scopeOf);
    for (const scope of scopes) scope?.awaiting(call);
    return () => {
      for (const scope of scopes) scope?.settled(call);
    };
  }

  /** Takes one member into the bundle, or says why not. */
  async #takeNext(
    { style, options, waitMs, entry, site, until, ahead }: MultiCall,
    bundle: HoldBundle,
    member: Member,
    signal: AbortSignal,
  ): Promise<NotAcquired | undefined> {
    const leftMs = until - this.#host.parts.clock.now();
    if (leftMs <= 0) return 'unanswered';
    const completion: Completion<TakenMember | NotAcquired> = (outcome, joinedAt) => {
      if (typeof outcome === 'string') return outcome;
      ahead.onTaken();
      outcome.bundle = bundle;
      return { member, record: outcome, joinedAt };
    };
    const taken = await ahead.take(member, (stake) =>
      startCall(member, {
        style,
        options: { ...memberOptions(options), signal, waitMs: waitMs && Math.ceil(leftMs) },
        entry,
        site,
        membersHeld: bundle.records,
        ahead: stake,
        completion,
      }),
    );
    if (typeof taken === 'string') return taken;
    bundle.add(taken);
    return undefined;
  }

  /** To code that has to release it. Nothing that the bundle is known to knows the hold: what no code can release is found by its absence. */
  #handOver(bundle: HoldBundle): Hold {
    const hold = new HoldHandle(this.#host, bundle);
    for (const { member, record } of bundle.taken) member.host.parts.forgotten.watch(hold, record, hold);
    return hold;
  }

  #section<T>(bundle: HoldBundle, fn: Section<T>): Promise<T> {
    const section = () => this.#run(bundle, fn);
    return isTraced(traces.section) ? sectionTracedForEach(bundle.taken, section) : section();
  }

  async #run<T>(bundle: HoldBundle, fn: Section<T>): Promise<T> {
    const hold = new HoldHandle(this.#host, bundle);
    let value: T;
    try {
      if (bundle.check() !== undefined) atCaller(bundle.lossError());
      value = (await bundle.insideSection(() => fn(hold))) as T;
    } catch (error) {
      await settleAfter(error, bundle, this.#host.parts);
      throw error;
    }
    await shown(bundle.settle());
    return value;
  }
}

/** The scope of a call for it, which one with an explicit owner has none of. */
function scopeOf({ host, owner }: Member): Scope | undefined {
  return owner === undefined ? currentScope(host.client) : undefined;
}

/** Where a lease is given they are renewed until all are there, for however long that takes, and then fixed. */
function memberOptions({ leaseMs, maxHoldMs, minHoldMs }: CheckedOptions): CheckedOptions {
  return { leaseMs, maxHoldMs, minHoldMs, signal: undefined, waitMs: undefined, gathers: true };
}

function must(outcome: HoldBundle | Missed): HoldBundle {
  if (outcome instanceof HoldBundle) return outcome;
  const { member, waitedMs, found } = outcome;
  const { name, primitive } = member.operations;
  throw new LockTimeoutError(name, waitedMs, found, primitive);
}

/** For `unlock`, which code of a scope that has ended cannot call any more. */
function keep(bundle: HoldBundle): void {
  const late = bundle.taken.find(({ record }) => record.unlockScope?.ended);
  if (late !== undefined) {
    void bundle.withdraw();
    throw scopeEnded(late.record);
  }
  bundle.disband();
  for (const { member, record, joinedAt } of bundle.taken) member.keep(record, joinedAt);
}
