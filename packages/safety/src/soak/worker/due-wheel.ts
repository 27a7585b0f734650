/** What falls due when, to a tenth of a second: thousands of entries, and no timer of their own. */
export class DueWheel<T> {
  readonly #slots = new Map<number, T[]>();
  #doneUntil: number;

  /** Times are milliseconds on one clock. */
  constructor(nowMs: number) {
    this.#doneUntil = slotOf(nowMs);
  }

  add(item: T, dueMs: number): void {
    const slot = Math.max(slotOf(dueMs), this.#doneUntil + 1);
    const items = this.#slots.get(slot);
    if (items === undefined) this.#slots.set(slot, [item]);
    else items.push(item);
  }

  /** Takes off what is due by `nowMs`, the earliest first. */
  take(nowMs: number): T[] {
    const due: T[] = [];
    for (const last = slotOf(nowMs); this.#doneUntil < last; ) {
      const slot = ++this.#doneUntil;
      due.push(...(this.#slots.get(slot) ?? []));
      this.#slots.delete(slot);
    }
    return due;
  }
}

const SLOT_MS = 100;

const slotOf = (ms: number): number => Math.floor(ms / SLOT_MS);
