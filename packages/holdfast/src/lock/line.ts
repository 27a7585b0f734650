/** The waiting line of one lock in this process: first come, first served. Leaving from anywhere costs nothing. */

import type { Contender } from './contender.js';

export class Line {
  /** Undefined when nobody waits, as for most locks that are held. */
  #waiting: Set<Contender> | undefined;
  #scoped = 0;
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
    if (canDescend(contender)) this.#scoped++;
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
    if (canDescend(contender)) this.#scoped--;
    if (contender.once) this.#once--;
    return true;
  }

  /** The first that `matches`, looking only at those that could descend from anything. */
  firstDescendant(matches: (contender: Contender) => boolean): Contender | undefined {
    if (this.#scoped === 0 || this.#waiting === undefined) return undefined;
    for (const contender of this.#waiting) if (matches(contender)) return contender;
    return undefined;
  }

  [Symbol.iterator](): IterableIterator<Contender> {
    // A copy: who is told something may leave the line at once.
    return [...(this.#waiting ?? [])].values();
  }
}

function canDescend({ request }: Contender): boolean {
  return request.scope !== undefined || request.owner !== undefined;
}
