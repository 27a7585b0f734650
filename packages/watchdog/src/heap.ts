/** What an {@link IndexedHeap} keeps: it is ordered by `time` and told its place, so that it can be found without searching. */
export interface HeapItem {
  time: number;
  place: number;
}

/** Place of an item that is nowhere. */
export const UNPLACED = -1;

/** A binary heap, earliest first. Adding, taking out and moving cost O(log n); items of equal time have no order. */
export class IndexedHeap<T extends HeapItem> {
  readonly #items: T[] = [];

  get size(): number {
    return this.#items.length;
  }

  /** The earliest item. */
  get first(): T | undefined {
    return this.#items[0];
  }

  /** Puts the item where its `time` belongs, whether or not it is in the heap already. */
  put(item: T, time: number): void {
    const earlier = item.place < 0 || time < item.time;
    const place = item.place < 0 ? this.#items.length : item.place;
    item.time = time;
    if (earlier) this.#up(item, place);
    else this.#down(item, place);
  }

  /** Takes the item out; nothing happens when it is not in the heap. */
  remove(item: T): void {
    const { place } = item;
    item.place = UNPLACED;
    if (place < 0) return;
    const last = this.#items.pop();
    if (last === undefined || last === item) return;
    if (last.time < item.time) this.#up(last, place);
    else this.#down(last, place);
  }

  clear(): void {
    for (const item of this.#items) item.place = UNPLACED;
    this.#items.length = 0;
  }

  #up(item: T, from: number): void {
    let place = from;
    while (place > 0) {
      const parent = this.#items[(place - 1) >> 1];
      if (parent === undefined || parent.time <= item.time) break;
      const parentPlace = parent.place;
      this.#set(parent, place);
      place = parentPlace;
    }
    this.#set(item, place);
  }

  #down(item: T, from: number): void {
    let place = from;
    for (;;) {
      const left = this.#items[2 * place + 1];
      if (left === undefined) break;
      const right = this.#items[2 * place + 2];
      const child = right !== undefined && right.time < left.time ? right : left;
      if (child.time >= item.time) break;
      const childPlace = child.place;
      this.#set(child, place);
      place = childPlace;
    }
    this.#set(item, place);
  }

  #set(item: T, place: number): void {
    this.#items[place] = item;
    item.place = place;
  }
}
