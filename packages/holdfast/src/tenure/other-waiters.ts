/** How many other processes are known to wait for the lock of one tenure: replies count them, and notices say that there is one. */
export class OtherWaiters {
  #count = 0;
  /** Send time of the command whose reply counted them last; whole, as in `validity.ts`. */
  #countedAt = 0;
  /** Clock time of the last notice. */
  #noticedAt: number | undefined;

  get count(): number {
    return this.#count;
  }

  /** The reply to a command sent at `sentAt` may have been made before a notice that overtook it: then the notice stands. */
  counted(count: number, sentAt: number): void {
    this.#countedAt = Math.floor(sentAt);
    const overtaken = this.#noticedAt !== undefined && sentAt <= this.#noticedAt;
    this.#count = overtaken ? Math.max(count, this.#count) : count;
  }

  /** A message says that another process waits. */
  noticed(now: number): void {
    this.#noticedAt = now;
    this.#count = Math.max(1, this.#count);
  }

  /** Whether Redis has counted them since clock time `time`. */
  countedSince(time: number): boolean {
    return this.#countedAt >= time;
  }
}
