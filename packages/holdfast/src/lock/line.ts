/**
 * The waiting line of one lock in this process: first come, first served.
 *
 * A call that is inside the innermost level goes before all others, and whether there is one is asked at every handoff. So a call stands not
 * only in the line but also in a chain for each scope around it, or for its explicit owner: the first one inside a level is found without a
 * look at the others, however many wait. Those chains are an index, made when a level asks for the calls inside it: a call that gets the lock
 * with its first question is never in one.
 */

import { none } from '../lists.js';
import type { Scope } from '../scope.js';
import { Chain } from './chain.js';
import type { Contender } from './contender.js';
import type { Level } from './level.js';
import type { Limits } from './limits.js';
import { originsOf } from './reentry.js';
import { Stand } from './stand.js';

type Standing = Stand<Contender>;

export class Line implements Iterable<Contender> {
  readonly #all = new Chain<Contender>();
  #size = 0;
  /** By scope or owner. Undefined when all calls are outside: those are inside no level. */
  #origins: Map<Scope | string, Chain<Standing>> | undefined;
  /** The first that is in no chain of the index; all behind it are in none either. */
  #unindexed: Contender | undefined;
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

  get first(): Contender | undefined {
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

  add(contender: Contender): void {
    contender.number = ++this.#highest;
    this.#all.addLast(contender);
    this.#unindexed ??= contender;
    this.#joined(contender);
  }

  /** Back to the head of the line, where it came from. */
  putBack(contender: Contender): void {
    contender.number = --this.#lowest;
    if (this.#unindexed === this.first) this.#unindexed = contender;
    else for (const stand of this.#standsOf(contender)) this.#chainOf(stand.origin).addFirst(stand);
    this.#all.addFirst(contender);
    this.#joined(contender);
  }

  remove(contender: Contender): boolean {
    const { behind } = contender;
    if (!this.#all.remove(contender)) return false;
    if (contender === this.#unindexed) this.#unindexed = behind;
    this.#size--;
    this.#limits.left();
    for (const stand of contender.stands) this.#leave(stand);
    contender.stands = none;
    if (contender.once) this.#once--;
    else if (contender.until === this.#until) this.#until = undefined;
    return true;
  }

  /** The first that may enter while `level` is the innermost. */
  firstInside(level: Level): Contender | undefined {
    this.#index();
    if (this.#origins === undefined) return undefined;
    let first = level.owner === undefined ? undefined : this.#firstOf(level.owner);
    for (const scope of level.scopes) {
      const one = this.#firstOf(scope);
      if (first === undefined || (one !== undefined && one.number < first.number)) first = one;
    }
    return first;
  }

  /** A copy: who is told something may leave the line at once. */
  [Symbol.iterator](): IterableIterator<Contender> {
    return this.#all[Symbol.iterator]();
  }

  #joined(contender: Contender): void {
    this.#size++;
    this.#limits.joined();
    if (contender.once) this.#once++;
    else if (this.#until !== undefined) this.#until = Math.max(this.#until, contender.until);
  }

  #longest(): number {
    let longest = Number.NEGATIVE_INFINITY;
    for (let one = this.first; one !== undefined && longest < Number.POSITIVE_INFINITY; one = one.behind)
      if (!one.once) longest = Math.max(longest, one.until);
    return longest;
  }

  #index(): void {
    for (let one = this.#unindexed; one !== undefined; one = one.behind)
      for (const stand of this.#standsOf(one)) this.#chainOf(stand.origin).addLast(stand);
    this.#unindexed = undefined;
  }

  #standsOf(contender: Contender): readonly Standing[] {
    contender.stands = originsOf(contender.request).map((origin) => new Stand(contender, origin));
    return contender.stands;
  }

  #leave(stand: Standing): void {
    const chain = this.#chainOf(stand.origin);
    chain.remove(stand);
    if (chain.first !== undefined) return;
    this.#origins?.delete(stand.origin);
    if (this.#origins?.size === 0) this.#origins = undefined;
  }

  #firstOf(origin: Scope | string): Contender | undefined {
    return this.#origins?.get(origin)?.first?.call;
  }

  #chainOf(origin: Scope | string): Chain<Standing> {
    this.#origins ??= new Map();
    const known = this.#origins.get(origin);
    if (known !== undefined) return known;
    const chain = new Chain<Standing>();
    this.#origins.set(origin, chain);
    return chain;
  }
}
