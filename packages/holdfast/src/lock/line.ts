/** The waiting line of one lock in this process: first come, first served. Leaving from anywhere costs nothing. */

import type { Scope } from '../scope.js';
import type { AcquireRequest, Contender } from './contender.js';

/** Where calls of the line come from, as far as re-entry goes: one scope, or one explicit owner. */
interface Origin {
  /** One of them: for re-entry they are all alike. */
  readonly request: AcquireRequest;
  waiting: number;
}

export class Line {
  /** Undefined when nobody waits, as for most locks that are held. */
  #waiting: Set<Contender> | undefined;
  /** By scope or owner; without the calls outside all scopes, which descend from nothing. Undefined when there is none. */
  #origins: Map<Scope | string, Origin> | undefined;
  #once = 0;

  get size(): number {
    return this.#waiting?.size ?? 0;
  }

  get first(): Contender | undefined {
    return this.#waiting?.values().next().value;
  }

  /** Somebody in the line asked for one attempt only. */
  get hasOnce(): boolean {
    return this.#once > 0;
  }

  add(contender: Contender): void {
    (this.#waiting ??= new Set()).add(contender);
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
    if (!this.#waiting?.delete(contender)) return false;
    if (this.#waiting.size === 0) this.#waiting = undefined;
    this.#forget(contender.request);
    if (contender.once) this.#once--;
    return true;
  }

  /**
   * The first whose request `matches`, which may depend on its scope and owner only. The branches of one flow share those, so a long line of
   * them is told in one look that none descends.
   */
  firstDescendant(matches: (request: AcquireRequest) => boolean): Contender | undefined {
    if (this.#origins === undefined || this.#waiting === undefined) return undefined;
    for (const { request } of this.#origins.values()) {
      if (!matches(request)) continue;
      for (const contender of this.#waiting) if (matches(contender.request)) return contender;
    }
    return undefined;
  }

  [Symbol.iterator](): IterableIterator<Contender> {
    // A copy: who is told something may leave the line at once.
    return [...(this.#waiting ?? [])].values();
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
