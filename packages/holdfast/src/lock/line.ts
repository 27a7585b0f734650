/**
 * The waiting line of one lock in this process: first come, first served. Leaving from anywhere costs nothing, because each call knows its
 * neighbours. Why it is no Set is told in the watchdog's `Bag`; for the same reason a call that leaves forgets its neighbours.
 */

import type { Scope } from '../scope.js';
import type { AcquireRequest, Contender } from './contender.js';
import type { Limits } from './limits.js';

/** Where calls of the line come from, as far as re-entry goes: one scope, or one explicit owner. */
interface Origin {
  /** One of them: for re-entry they are all alike. */
  readonly request: AcquireRequest;
  waiting: number;
}

export class Line {
  #first: Contender | undefined;
  #last: Contender | undefined;
  #size = 0;
  /** By scope or owner; without the calls outside all scopes, which descend from nothing. Undefined when there is none. */
  #origins: Map<Scope | string, Origin> | undefined;
  #once = 0;
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#size;
  }

  get first(): Contender | undefined {
    return this.#first;
  }

  /** Somebody in the line asked for one attempt only. */
  get hasOnce(): boolean {
    return this.#once > 0;
  }

  add(contender: Contender): void {
    this.#link(this.#last, contender, undefined);
    this.#joined(contender);
  }

  /** Back to the head of the line, where it came from. */
  putBack(contender: Contender): void {
    this.#link(undefined, contender, this.#first);
    this.#joined(contender);
  }

  remove(contender: Contender): boolean {
    const { ahead, behind } = contender;
    if (ahead === undefined && contender !== this.#first) return false;
    contender.ahead = undefined;
    contender.behind = undefined;
    this.#join(ahead, behind);
    this.#size--;
    this.#limits.left();
    this.#forget(contender.request);
    if (contender.once) this.#once--;
    return true;
  }

  /**
   * The first whose request `matches`, which may depend on its scope and owner only. The branches of one flow share those, so a long line of
   * them is told in one look that none descends.
   */
  firstDescendant(matches: (request: AcquireRequest) => boolean): Contender | undefined {
    if (this.#origins === undefined) return undefined;
    for (const { request } of this.#origins.values()) {
      if (!matches(request)) continue;
      for (let one = this.#first; one !== undefined; one = one.behind) if (matches(one.request)) return one;
    }
    return undefined;
  }

  [Symbol.iterator](): IterableIterator<Contender> {
    // A copy: who is told something may leave the line at once.
    const all: Contender[] = [];
    for (let one = this.#first; one !== undefined; one = one.behind) all.push(one);
    return all.values();
  }

  #link(ahead: Contender | undefined, contender: Contender, behind: Contender | undefined): void {
    this.#join(ahead, contender);
    this.#join(contender, behind);
    this.#size++;
  }

  /** Makes neighbours of these two; undefined is an end of the line. */
  #join(ahead: Contender | undefined, behind: Contender | undefined): void {
    if (ahead === undefined) this.#first = behind;
    else ahead.behind = behind;
    if (behind === undefined) this.#last = ahead;
    else behind.ahead = ahead;
  }

  #joined(contender: Contender): void {
    this.#limits.joined();
    this.#note(contender.request);
    if (contender.once) this.#once++;
  }

  #note(request: AcquireRequest): void {
    const key = request.owner ?? request.scope;
    if (key === undefined) return;
    this.#origins ??= new Map();
    const known = this.#origins.get(key);
    if (known === undefined) this.#origins.set(key, { request, waiting: 1 });
    else known.waiting++;
  }

  #forget(request: AcquireRequest): void {
    const key = request.owner ?? request.scope;
    const known = key === undefined ? undefined : this.#origins?.get(key);
    if (key === undefined || known === undefined || --known.waiting > 0) return;
    this.#origins?.delete(key);
    if (this.#origins?.size === 0) this.#origins = undefined;
  }
}
