/**
 * The calls of this process that wait for one lock: first come, first served.
 *
 * A call that is inside the innermost hold goes before all others, and whether there is one is asked at every handoff. So a call stands not
 * only in the queue but also in a list for each scope around it, or for its explicit owner: the first one inside a hold is found without a
 * look at the others, however many wait. Those lists are an index, made when a hold asks for the calls inside it: a call that gets the lock
 * with its first ask is never in one.
 */

import { none } from '../lists.js';
import type { Scope } from '../scopes/scope.js';
import type { Demand } from '../tenure/demand.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import { IndexEntry } from './index-entry.js';
import type { Limits } from './limits.js';
import { LinkedList } from './linked-list.js';
import type { AcquireRequest, Waiter } from './waiter.js';

type Entry = IndexEntry<Waiter>;

/** Tells what a hold that a call may re-enter belongs to. */
export interface Origins {
  originsOf(request: AcquireRequest): readonly (Scope | string)[];
}

/** Counts the calls in all queues. */
type Counting = Pick<Limits, 'joined' | 'left'>;

/** See the module comment. */
export class WaitQueue extends LinkedList<Waiter> {
  /** The index, by scope or owner. Undefined when all calls are outside: those are inside no hold. */
  #origins: Map<Scope | string, LinkedList<Entry>> | undefined;
  /** The first that is not in the index; none of those behind it is. */
  #unindexed: Waiter | undefined;
  #singleAttempts = 0;
  #limitedAttempts = 0;
  /** Clock time until which the most patient call waits; -Infinity when none waits; undefined when it has to be looked for. */
  #until: number | undefined = -Infinity;
  #demand: Demand | undefined;
  /** The numbers of the first and the last in the queue, or beyond them. */
  #lowest = 0;
  #highest = 0;
  readonly #limits: Counting;
  readonly #policy: Origins;

  constructor(limits: Counting, policy: Origins) {
    super();
    this.#limits = limits;
    this.#policy = policy;
  }

  /** What the calls want of the tenure that asks for them; undefined when there are none. The same object while nothing changes. */
  get demand(): Demand | undefined {
    if (this.first === undefined) return undefined;
    const { terms } = this.first.request;
    const patientUntil = this.patientUntil;
    if (this.#demand?.terms !== terms || this.#demand.patientUntil !== patientUntil)
      this.#demand = { terms, patientUntil };
    return this.#demand;
  }

  /** A call asked for one attempt only. */
  get hasSingleAttempts(): boolean {
    return this.#singleAttempts > 0;
  }

  /** A call asked for so many attempts only, or for one. */
  get hasLimitedAttempts(): boolean {
    return this.#limitedAttempts > 0;
  }

  override addLast(waiter: Waiter): void {
    waiter.number = ++this.#highest;
    super.addLast(waiter);
    this.#unindexed ??= waiter;
    this.joined(waiter);
  }

  /** Back to the head of the queue, where it came from. */
  override addFirst(waiter: Waiter): void {
    waiter.number = --this.#lowest;
    if (this.#unindexed === this.first) this.#unindexed = waiter;
    else for (const entry of this.entriesOf(waiter)) this.listOf(entry.origin).addFirst(entry);
    super.addFirst(waiter);
    this.joined(waiter);
  }

  override remove(waiter: Waiter): boolean {
    const { behind } = waiter;
    if (!super.remove(waiter)) return false;
    if (waiter === this.#unindexed) this.#unindexed = behind;
    if (this.first === undefined) this.#demand = undefined;
    this.#limits.left();
    if (waiter.mostAttempts < Infinity) this.#limitedAttempts--;
    for (const entry of waiter.indexEntries) this.leave(entry);
    waiter.indexEntries = none;
    if (waiter.singleAttempt) this.#singleAttempts--;
    else if (waiter.until === this.#until) this.#until = undefined;
    return true;
  }

  /** The first that may enter while `record` is the innermost hold. */
  firstInside(record: HoldRecord): Waiter | undefined {
    this.index();
    if (this.#origins === undefined) return undefined;
    let first = record.owner === undefined ? undefined : this.firstOf(record.owner);
    for (const scope of record.scopes) {
      const one = this.firstOf(scope);
      if (first === undefined || (one !== undefined && one.number < first.number)) first = one;
    }
    return first;
  }

  private joined(waiter: Waiter): void {
    this.#limits.joined();
    if (waiter.mostAttempts < Infinity) this.#limitedAttempts++;
    if (waiter.singleAttempt) this.#singleAttempts++;
    else if (this.#until !== undefined) this.#until = Math.max(this.#until, waiter.until);
  }

  private get patientUntil(): number {
    this.#until ??= this.longest();
    return this.#until;
  }

  private longest(): number {
    let longest = -Infinity;
    for (let one = this.first; one !== undefined && longest < Infinity; one = one.behind)
      if (!one.singleAttempt) longest = Math.max(longest, one.until);
    return longest;
  }

  private index(): void {
    for (let one = this.#unindexed; one !== undefined; one = one.behind)
      for (const entry of this.entriesOf(one)) this.listOf(entry.origin).addLast(entry);
    this.#unindexed = undefined;
  }

  private entriesOf(waiter: Waiter): readonly Entry[] {
    waiter.indexEntries = this.#policy.originsOf(waiter.request).map((origin) => new IndexEntry(waiter, origin));
    return waiter.indexEntries;
  }

  private leave(entry: Entry): void {
    const list = this.listOf(entry.origin);
    list.remove(entry);
    if (list.first !== undefined) return;
    this.#origins?.delete(entry.origin);
    if (this.#origins?.size === 0) this.#origins = undefined;
  }

  private firstOf(origin: Scope | string): Waiter | undefined {
    return this.#origins?.get(origin)?.first?.call;
  }

  private listOf(origin: Scope | string): LinkedList<Entry> {
    this.#origins ??= new Map();
    const known = this.#origins.get(origin);
    if (known !== undefined) return known;
    const list = new LinkedList<Entry>();
    this.#origins.set(origin, list);
    return list;
  }
}

/** A queue for those who only look, or take calls out: it may be {@link nobody}, which none is added to. */
export type QueuedCalls = Omit<WaitQueue, 'addFirst' | 'addLast'>;

/** One for all locks for which no call waits: most of those that are held. None is ever added: it would wait for every lock of every client. */
export const nobody: QueuedCalls = new WaitQueue(
  { joined: () => undefined, left: () => undefined },
  { originsOf: () => none },
);
