import type { ConnectionListener } from './connection.js';
import type { Covers, TopologyListener } from './topology.js';

/** What every topology tells in the same way: those who listen to it, and those who wait for one of its connections. */
export class TopologyEvents implements TopologyListener {
  readonly #listeners: TopologyListener[] = [];
  readonly #waiting = new Set<() => void>();

  listen(listener: TopologyListener): void {
    this.#listeners.push(listener);
  }

  /** Calls `resume` once when it is worth looking for a connection again. Returns how to forget it. */
  wait(resume: () => void): () => boolean {
    this.#waiting.add(resume);
    return () => this.#waiting.delete(resume);
  }

  /** Somebody waits. */
  get awaited(): boolean {
    return this.#waiting.size > 0;
  }

  /** Those who still find no connection wait again. */
  resume(): void {
    // One may bring it about that another one does not wait any more.
    for (const resume of [...this.#waiting]) if (this.#waiting.delete(resume)) resume();
  }

  forgetWaiting(): void {
    this.#waiting.clear();
  }

  onDown(node: string, covers: Covers): void {
    for (const listener of this.#listeners) listener.onDown?.(node, covers);
  }

  onUp(covers: Covers): void {
    for (const listener of this.#listeners) listener.onUp?.(covers);
    this.resume();
  }

  onOther(covers: Covers): void {
    for (const listener of this.#listeners) listener.onOther?.(covers);
  }

  onDemoted(covers: Covers): void {
    for (const listener of this.#listeners) listener.onDemoted?.(covers);
  }

  onLastingTrouble(covers: Covers, error: Error): void {
    for (const listener of this.#listeners) listener.onLastingTrouble?.(covers, error);
  }

  /** The listener of the connection to one server, of the locks that it keeps. */
  ofConnection(node: string, covers: Covers): ConnectionListener {
    return {
      onDown: () => this.onDown(node, covers),
      onUp: () => this.onUp(covers),
      onOther: () => this.onOther(covers),
      onLooked: () => this.resume(),
      onLastingTrouble: (error) => this.onLastingTrouble(covers, error),
    };
  }
}
