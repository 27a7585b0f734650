/**
 * What comes and goes all the time, in no order: an array in which each item knows its place.
 *
 * Why no Set. V8 gives a Set that is added to and deleted from a new table every few items. An old table keeps a link to the next one, and
 * what was in it. Once one of them has been promoted to the old generation, all that follow are reachable from garbage that no scavenge
 * frees: every item that was in the Set at the time of a new table is promoted too, with all that it refers to. Measured with 64 locks at
 * once, where the requests under way were a Set: 4 KB of garbage in each cycle, and a third of its processor time (docs/growth.md).
 */

import { UNPLACED } from './heap.js';

/** What a {@link Bag} keeps; in one at a time. */
export interface BagItem {
  /** Belongs to the bag. -1: in none. */
  place: number;
}

/** See the module comment. Adding and taking out cost the same however much is in it. */
export class Bag<T extends BagItem> implements Iterable<T> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  add(item: T): void {
    item.place = this.#items.length;
    this.#items.push(item);
  }

  /** Nothing happens when the item is not in the bag. */
  delete(item: T): void {
    const { place } = item;
    if (this.#items[place] !== item) return;
    item.place = UNPLACED;
    const last = this.#items.pop() as T;
    if (last === item) return;
    last.place = place;
    this.#items[place] = last;
  }

  /** Goes through what is in it now, whatever is added or taken out meanwhile. */
  [Symbol.iterator](): IterableIterator<T> {
    return [...this.#items].values();
  }
}
