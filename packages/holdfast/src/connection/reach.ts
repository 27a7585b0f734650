import type { ConnectionTools } from './connection-tools.js';

/**
 * What is known of the way to a server. `silentMs`: for how long something has been owed there, the connection itself or an answer on it. Time in
 * which the event loop stood still is no silence.
 */
export type Reach =
  /** The connection broke, or the last attempt to make one failed. `silentMs`: since when nothing was heard of why. */
  | { state: 'down'; silentMs?: number }
  | { state: 'connecting'; silentMs: number }
  | { state: 'connected'; silentMs: number };

/** How often the turns of the event loop are counted while a connection is made. */
const STEP_MS = 20;

/** How long a connection has been on its way, counted in turns of the event loop: while that stands still, the client could not notice that it has come. */
export class Approach {
  readonly #tools: ConnectionTools;
  #ms = 0;
  #countedAt = 0;
  #next: { cancel(): void } | undefined;

  constructor(tools: ConnectionTools) {
    this.#tools = tools;
  }

  /** On its way from now on, if it is not already. */
  begin(): void {
    if (this.#next !== undefined) return;
    this.#ms = 0;
    this.#countedAt = this.#tools.now();
    this.#countOn();
  }

  end(): void {
    this.#next?.cancel();
    this.#next = undefined;
  }

  get reach(): Reach {
    return { state: 'connecting', silentMs: this.#next === undefined ? 0 : this.#ms + this.#uncountedMs };
  }

  get #uncountedMs(): number {
    return Math.min(this.#tools.now() - this.#countedAt, 2 * STEP_MS);
  }

  #countOn(): void {
    this.#next = this.#tools.after(STEP_MS, () => {
      this.#ms += this.#uncountedMs;
      this.#countedAt = this.#tools.now();
      this.#countOn();
    });
  }
}
