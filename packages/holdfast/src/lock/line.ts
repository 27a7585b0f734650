/** The waiting line of one lock in this process: first come, first served. Leaving from anywhere costs nothing. */

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
  /** Kept apart: most lines are never longer. */
  #first: Contender | undefined;
  /** Undefined when there is none. */
  #others: Set<Contender> | undefined;
  /** By scope or owner; without the calls outside all scopes, which descend from nothing. Undefined when there is none. */
  #origins: Map<Scope | string, Origin> | undefined;
  #once = 0;
  readonly #limits: Limits;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#first === undefined ? 0 : 1 + (this.#others?.size ?? 0);
  }

  get first(): Contender | undefined {
    return this.#first;
  }

  /** Somebody in the line asked for one attempt only. */
  get hasOnce(): boolean {
    return this.#once > 0;
  }

  add(contender: Contender): void {
    if (this.#first === undefined) this.#first = contender;
    else (this.#others ??= new Set()).add(contender);
    this.#limits.joined();
    this.#note(contender.request);
    if (contender.once) this.#once++;
  }

  /** Back to the head of the line, where it came from. */
  putBack(contender: Contender): void {
    const behind = [...this];
    for (const other of behind) this.remove(other);
    for (const each of [contender, ...behind]) this.add(each);
  }

  remove(contender: Contender): boolean {
    if (contender === this.#first) this.#moveUp();
    else if (!this.#others?.delete(contender)) return false;
    if (this.#others?.size === 0) this.#others = undefined;
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
    if (this.#origins === undefined || this.#first === undefined) return undefined;
    for (const { request } of this.#origins.values()) {
      if (!matches(request)) continue;
      if (matches(this.#first.request)) return this.#first;
      for (const contender of this.#others ?? []) if (matches(contender.request)) return contender;
    }
    return undefined;
  }

  [Symbol.iterator](): IterableIterator<Contender> {
    // A copy: who is told something may leave the line at once.
    return (this.#first === undefined ? [] : [this.#first, ...(this.#others ?? [])]).values();
  }

  #moveUp(): void {
    this.#first = this.#others?.values().next().value;
    if (this.#first !== undefined) this.#others?.delete(this.#first);
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
