/** Counts pending timers: every one made through `setTimeout` while it watches, by whoever, unref'd ones included. */
export class PendingTimers {
  readonly #pending = new Set<unknown>();
  readonly #set = globalThis.setTimeout;
  readonly #clear = globalThis.clearTimeout;

  constructor() {
    const pending = this.#pending;
    const set = this.#set;
    const clear = this.#clear;
    const counting = (run: (...given: unknown[]) => void, delayMs?: number, ...given: unknown[]) => {
      const timer: NodeJS.Timeout = set(() => {
        pending.delete(timer);
        run(...given);
      }, delayMs);
      pending.add(timer);
      return timer;
    };
    globalThis.setTimeout = Object.assign(counting, { __promisify__: set.__promisify__ }) as typeof setTimeout;
    globalThis.clearTimeout = (timer) => {
      pending.delete(timer);
      clear(timer);
    };
  }

  /** Set, and neither run nor cleared. */
  get count(): number {
    return this.#pending.size;
  }

  /** Ends the count, and gives the globals back. */
  restore(): void {
    globalThis.setTimeout = this.#set;
    globalThis.clearTimeout = this.#clear;
  }
}
