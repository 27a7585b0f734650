/**
 * The waiting line of one lock in this process: first come, first served.
 *
 * A call that is inside the innermost level goes before all others, and whether there is one is asked at every handoff. So a call indexEntries not
 * only in the line but also in a chain for each scope around it, or for its explicit owner: the first one inside a level is found without a
 * look at the others, however many wait. Those chains are an index, made when a level asks for the calls inside it: a call that gets the lock
 * with its first question is never in one.
 */

import { none } from '../lists.js';
import type { Scope } from '../scopes/scope.js';
import { LinkedList } from './linked-list.js';
import type { Waiter } from './waiter.js';
import type { HoldRecord } from '../exclusive/hold-record.js';
import type { Limits } from './limits.js';
import { originsOf } from '../exclusive/reentry.js';
import { IndexEntry } from './index-entry.js';

type Entry = IndexEntry<Waiter>;

export class WaitQueue implements Iterable<Waiter> {
  readonly #all = new LinkedList<Waiter>();
  #size = 0;
  /** By scope or owner. Undefined when all calls are outside: those are inside no level. */
  #origins: Map<Scope | string, LinkedList<Entry>> | undefined;
  /** The first that is in no chain of the index; all behind it are in none either. */
  #unindexed: Waiter | undefined;
  #once = 0;
  /** Clock time until which the most patient call waits. Undefined when it has to be looked for. */
  #until: number | undefined = Number.NEGATIVE_INFINITY;
  /** The numbers of the first and the last in line, or beyond them. */
  #lowest = 0;
  #highest = 0;
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  get first(): Waiter | undefined {
    return this.#all.first;
  }

  /** Somebody in the line asked for one attempt only. */
  get hasOnce(): boolean {
    return this.#once > 0;
  }

  /** Clock time until which the most patient call waits; calls for one attempt do not count. -Infinity when none waits. */
  get until(): number {
    this.#until ??= this.#longest();
    return this.#until;
  }

  add(waiter: Waiter): void {
    waiter.number = ++this.#highest;
    this.#all.addLast(waiter);
    this.#unindexed ??= waiter;
    this.#joined(waiter);
  }

  /** Back to the head of the line, where it came from. */
  putBack(waiter: Waiter): void {
    waiter.number = --this.#lowest;
    if (this.#unindexed === this.first) this.#unindexed = waiter;
    else for (const stand of this.#entriesOf(waiter)) this.#chainOf(stand.origin).addFirst(stand);
    this.#all.addFirst(waiter);
    this.#joined(waiter);
  }

  remove(waiter: Waiter): boolean {
    const { behind } = waiter;
    if (!this.#all.remove(waiter)) return false;
    if (waiter === this.#unindexed) this.#unindexed = behind;
    this.#size--;
    this.#limits.left();
    for (const stand of waiter.indexEntries) this.#leave(stand);
    waiter.indexEntries = none;
    if (waiter.once) this.#once--;
    else if (waiter.until === this.#until) this.#until = undefined;
    return true;
  }

  /** The first that may enter while `level` is the innermost. */
  firstInside(record: HoldRecord): Waiter | undefined {
    this.#index();
    if (this.#origins === undefined) return undefined;
    let first = record.owner === undefined ? undefined : this.#firstOf(record.owner);
    for (const scope of record.scopes) {
      const one = this.#firstOf(scope);
      if (first === undefined || (one !== undefined && one.number < first.number)) first = one;
    }
    return first;
  }

  /** A copy: who is told something may leave the line at once. */
  [Symbol.iterator](): IterableIterator<Waiter> {
    return this.#all[Symbol.iterator]();
  }

  #joined(waiter: Waiter): void {
    this.#size++;
    this.#limits.joined();
    if (waiter.once) this.#once++;
    else if (this.#until !== undefined) this.#until = Math.max(this.#until, waiter.until);
  }

  #longest(): number {
    let longest = Number.NEGATIVE_INFINITY;
    for (let one = this.first; one !== undefined && longest < Number.POSITIVE_INFINITY; one = one.behind)
      if (!one.once) longest = Math.max(longest, one.until);
    return longest;
  }

  #index(): void {
    for (let one = this.#unindexed; one !== undefined; one = one.behind)
      for (const stand of this.#entriesOf(one)) this.#chainOf(stand.origin).addLast(stand);
    this.#unindexed = undefined;
  }

  #entriesOf(waiter: Waiter): readonly Entry[] {
    waiter.indexEntries = originsOf(waiter.request).map((origin) => new IndexEntry(waiter, origin));
    return waiter.indexEntries;
  }

  #leave(stand: Entry): void {
    const chain = this.#chainOf(stand.origin);
    chain.remove(stand);
    if (chain.first !== undefined) return;
    this.#origins?.delete(stand.origin);
    if (this.#origins?.size === 0) this.#origins = undefined;
  }

  #firstOf(origin: Scope | string): Waiter | undefined {
    return this.#origins?.get(origin)?.first?.call;
  }

  #chainOf(origin: Scope | string): LinkedList<Entry> {
    this.#origins ??= new Map();
    const known = this.#origins.get(origin);
    if (known !== undefined) return known;
    const chain = new LinkedList<Entry>();
    this.#origins.set(origin, chain);
    return chain;
  }
}
