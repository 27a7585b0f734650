/** Remembers who was in a room at once: readers, or one writer alone. */
export class RoomOfBoth {
  readonly faults: string[] = [];
  mostReaders = 0;
  readonly #inside = { read: 0, write: 0 };

  /** Comes in, lets others do what they can, and goes out. */
  async visit(side: 'read' | 'write', turns = 3): Promise<void> {
    this.enter(side);
    for (let turn = 0; turn < turns; turn++) await new Promise<void>((resolve) => setImmediate(resolve));
    this.leave(side);
  }

  enter(side: 'read' | 'write'): void {
    const { read, write } = this.#inside;
    if (write > 0 || (side === 'write' && read > 0))
      this.faults.push(`${side} beside ${read} readers and ${write} writers`);
    this.#inside[side]++;
    this.mostReaders = Math.max(this.mostReaders, this.#inside.read);
  }

  leave(side: 'read' | 'write'): void {
    this.#inside[side]--;
  }
}
