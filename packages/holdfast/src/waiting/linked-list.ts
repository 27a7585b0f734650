/** What stands in a {@link LinkedList}; in one at a time. */
export interface ListNode<T> {
  /** Its neighbours, while it stands in a list. Both belong to the list. */
  ahead: T | undefined;
  behind: T | undefined;
}

/**
 * A list that is joined at either end and left from anywhere, at the same cost however long it is: each item knows its neighbours. Why it is no
 * Set is told in the watchdog's `Bag`; for the same reason an item that leaves forgets its neighbours.
 */
export class LinkedList<T extends ListNode<T>> implements Iterable<T> {
  #first: T | undefined;
  #last: T | undefined;

  get first(): T | undefined {
    return this.#first;
  }

  get last(): T | undefined {
    return this.#last;
  }

  addLast(item: T): void {
    this.join(this.#last, item);
    this.join(item, undefined);
  }

  addFirst(item: T): void {
    this.join(item, this.#first);
    this.join(undefined, item);
  }

  /** Answers false, and does nothing, when the item is not in the list. */
  remove(item: T): boolean {
    const { ahead, behind } = item;
    if (ahead === undefined && item !== this.#first) return false;
    item.ahead = undefined;
    item.behind = undefined;
    this.join(ahead, behind);
    return true;
  }

  /** What is in it now, from the first to the last. */
  get all(): readonly T[] {
    const all: T[] = [];
    for (let one = this.#first; one !== undefined; one = one.behind) all.push(one);
    return all;
  }

  /** Goes through {@link all}: an item that is told something may leave at once. */
  [Symbol.iterator](): IterableIterator<T> {
    return this.all.values();
  }

  /** Makes neighbours of these two; undefined is an end of the list. */
  private join(ahead: T | undefined, behind: T | undefined): void {
    if (ahead === undefined) this.#first = behind;
    else ahead.behind = behind;
    if (behind === undefined) this.#last = ahead;
    else behind.ahead = ahead;
  }
}
