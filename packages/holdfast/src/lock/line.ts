/**
 * The waiting line of one lock in this process: first come, first served.
 *
 * A call that is inside the innermost level goes before all others, and whether there is one is asked at every handoff. So a call stands not
 * only in the line but also in a chain for each scope around it, or for its explicit owner: the first one inside a level is found without a
 * look at the others, however many wait.
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
  #once = 0;
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

  add(contender: Contender): void {
    contender.number = ++this.#highest;
    this.#all.addLast(contender);
    for (const stand of this.#joined(contender)) this.#chainOf(stand.origin).addLast(stand);
  }

  /** Back to the head of the line, where it came from. */
  putBack(contender: Contender): void {
    contender.number = --this.#lowest;
    this.#all.addFirst(contender);
    for (const stand of this.#joined(contender)) this.#chainOf(stand.origin).addFirst(stand);
  }

  remove(contender: Contender): boolean {
    if (!this.#all.remove(contender)) return false;
    this.#size--;
    this.#limits.left();
    for (const stand of contender.stands) this.#leave(stand);
    contender.stands = none;
    if (contender.once) this.#once--;
    return true;
  }

  /** The first that may enter while `level` is the innermost. */
  firstInside(level: Level): Contender | undefined {
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

  #joined(contender: Contender): readonly Standing[] {
    this.#size++;
    this.#limits.joined();
    if (contender.once) this.#once++;
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
