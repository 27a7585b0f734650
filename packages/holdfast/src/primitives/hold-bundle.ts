/**
 * A bundle: the holds of one acquisition of a multi-lock, which are had and lost together.
 *
 *      gathering --- all members are there ---> held ---> released
 *          |                                     |
 *          +---------- any member lost ----------+--> lost: the signal aborts, the others are given back
 *
 * The first loss ends all: whatever the members guard together is not guarded any more. What a holder is told first is the loss; what it has not lost
 * is given back after that, for a holder that has lost a lock need not give it back, and nothing else would.
 */

import type { Bundled, HoldRecord } from '../exclusive/hold-record.js';
import { checkExtension } from '../exclusive/extension.js';
import { lossOf } from '../exclusive/loss-of.js';
import { forgetMinimum } from '../exclusive/minimum.js';
import { LockLostError } from '../errors.js';
import { openScope } from '../scopes/scope.js';
import type { Inherited } from '../tenure/inherited.js';
import { runScope } from '../scopes/scope-end.js';
import { truthful } from '../truthful-signal.js';
import type { Held, HoldState } from './hold.js';
import type { Member } from './member.js';

/** A member and the hold of it. */
export interface TakenMember {
  readonly member: Member;
  readonly record: HoldRecord;
  /** Clock time at which its call began. */
  readonly joinedAt: number;
}

/** See the module comment. */
export class HoldBundle implements Held, Bundled {
  readonly name: string;
  readonly #taken: TakenMember[] = [];
  readonly #records: HoldRecord[] = [];
  readonly #abort = new AbortController();
  readonly #signal = truthful(this.#abort.signal, () => this.check());
  lost: HoldRecord | undefined;
  complete = false;
  #lossReported = false;
  #isDisbanded = false;
  #leaving: Promise<void> | undefined;

  constructor(name: string) {
    this.name = name;
  }

  /** In the order in which they were taken. */
  get taken(): readonly TakenMember[] {
    return this.#taken;
  }

  /** The holds of the members, in the same order: the list itself, for a copy for each member would be their number squared. */
  get records(): readonly HoldRecord[] {
    return this.#records;
  }

  get signal(): AbortSignal {
    this.check();
    return this.#signal;
  }

  /** A member has been taken. */
  add(taken: TakenMember): void {
    this.#taken.push(taken);
    const { record } = taken;
    this.#records.push(record);
    const { signal } = record;
    if (signal.aborted) this.#lose(record);
    else signal.addEventListener('abort', () => this.#lose(record), { once: true });
  }

  /** The first member that was lost, if any. Looks at all leases. */
  check(): HoldRecord | undefined {
    // What is read of a hold that is lost aborts its signal, and so this bundle's.
    if (this.#leaving === undefined) for (const { record } of this.#taken) void record.state;
    return this.lost;
  }

  /** Of the first member that was not given back before. */
  get inherited(): Inherited | undefined {
    return this.#taken.find(({ record }) => record.inherited !== undefined)?.record.inherited;
  }

  get id(): string {
    return this.#records.map(({ id }) => id).join(' + ');
  }

  get state(): HoldState {
    if (this.check() !== undefined) return 'lost';
    if (this.#leaving !== undefined) return 'released';
    return this.#taken.some(({ record }) => record.state === 'suspect') ? 'suspect' : 'held';
  }

  remainingMs(): number {
    const { state } = this;
    if (state === 'lost' || state === 'released') return 0;
    return Math.min(...this.#taken.map(({ record }) => record.remainingMs()));
  }

  lossError(): LockLostError {
    return (this.lost as HoldRecord).lossError();
  }

  inside(fn: () => unknown): unknown {
    return this.#inScopes(fn, 'run');
  }

  /** The same for the function of a section. */
  insideSection(fn: () => unknown): unknown {
    return this.#inScopes(fn, 'section');
  }

  extend(ms: number): Promise<unknown> {
    // Each has a limit and an end of its own: before the first of them sends anything.
    for (const { member, record } of this.#taken) checkExtension(member.host.parts, record, ms);
    return Promise.all(this.#records.map((record) => record.extend(ms)));
  }

  /** Runs `fn` in scopes in which calls on the members re-enter these holds: one for each client. Members may be thousands, and one inside the other would overflow the stack. */
  #inScopes(fn: () => unknown, as: 'section' | 'run'): unknown {
    const hosts = new Map(this.#taken.map(({ member: { host } }) => [host.client, host]));
    let work = fn;
    for (const { client, leftovers } of hosts.values()) {
      const rest = work;
      work = () => {
        const scope = openScope('section', client);
        for (const { member, record } of this.#taken) {
          if (member.host.client !== client) continue;
          if (as === 'section') record.section = scope;
          if (as === 'run' || member.owner === undefined) scope.own(record);
        }
        return runScope(scope, rest, leftovers);
      };
    }
    return work();
  }

  /** Gives all back; rejects with the loss, once, when there was one. */
  release(): Promise<void> {
    const lost = this.check();
    if (lost === undefined) {
      if (this.#leaving !== undefined) return Promise.resolve();
      this.#leaving = this.#releaseAll((record) => record.release());
      return this.#leaving;
    }
    if (this.#lossReported) return Promise.resolve();
    this.#lossReported = true;
    return Promise.reject(lost.lossError());
  }

  /** For a section, which answers for all that was done on it: gives it back, and tells of a loss even if that was told, and caught, before. */
  settle(): Promise<void> {
    const lost = this.check();
    if (lost !== undefined) return Promise.reject(lost.lossError());
    return this.#leaving === undefined ? this.release() : lossOf(this.#leaving);
  }

  /** It never came to be a hold of its call: what was taken is given back, and whatever becomes of that is no answer to the call. */
  async withdraw(): Promise<void> {
    this.#leaving = this.#releaseAll(releaseNow);
    await this.#leaving.catch(() => undefined);
  }

  /** All members are there. */
  gathered(): this {
    this.complete = true;
    return this;
  }

  /**
   * From now on each hold is on its own: it is given back by `unlock()` of its member, which must find it there. Were it given back with the
   * loss of another, that `unlock()` would undo a `lock()` around it.
   */
  disband(): void {
    this.#isDisbanded = true;
  }

  #lose(record: HoldRecord): void {
    if (this.#isDisbanded || this.lost !== undefined || this.#leaving !== undefined) return;
    this.lost = record;
    const loss = record.lossError();
    this.#abort.abort(loss);
    // Where its own client has ended it, nobody else has it: the minimum of each is kept, as that of a lock alone.
    const isOurs = loss.reason === 'closed' || loss.reason === 'max-hold';
    for (const { record: other } of this.#taken) {
      if (other === record) continue;
      other.announceLoss();
      (isOurs ? other.release() : releaseNow(other)).catch(() => undefined);
    }
  }

  #releaseAll(release: (record: HoldRecord) => Promise<void>): Promise<void> {
    const members = this.#taken.map(({ member }) => member);
    return all(together(members, () => this.#taken.map(({ record }) => release(record))));
  }
}

/** What `work` sends about the members leaves in as few commands as their servers and slots allow. */
export function together<T>(members: readonly Member[], work: () => T): T {
  const senders = new Set(members.map(({ host }) => host.parts.sender));
  return [...senders].reduce((inner, sender) => () => sender.together(inner), work)();
}

/** Also before its minimum is over: there is no hold of the bundle that it would be the minimum of. */
function releaseNow(record: HoldRecord): Promise<void> {
  forgetMinimum(record);
  return record.release();
}

/** Settles with all of them. Of what they reject with, a loss is the first thing to know. */
export async function all(releases: readonly Promise<void>[]): Promise<void> {
  const failures: unknown[] = [];
  for (const result of await Promise.allSettled(releases))
    if (result.status === 'rejected') failures.push(result.reason);
  if (failures.length > 0) throw failures.find((error) => error instanceof LockLostError) ?? failures[0];
}
