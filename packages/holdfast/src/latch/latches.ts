import type { Registry } from '../exclusive/registry.js';
import { type LatchParts, type LatchPatience, LatchWatch, type WatchedLatch } from './latch-watch.js';

/** The latches for which calls of one client wait: a watch for each. */
export class Latches {
  readonly #parts: LatchParts;
  readonly #registry: Registry;
  readonly #watches = new Map<string, LatchWatch>();

  constructor(parts: LatchParts, registry: Registry) {
    this.#parts = parts;
    this.#registry = registry;
  }

  /** Resolves to whether the count has reached 0 in time. @throws LockLimitError, and the reason of a signal that has aborted already. */
  wait(latch: WatchedLatch, patience: LatchPatience): Promise<boolean> {
    patience.signal?.throwIfAborted();
    const { limits } = this.#parts;
    if (limits.waitersReached) throw limits.reached(latch, 'waiters');
    return (this.#watches.get(latch.key) ?? this.#watch(latch)).wait(patience);
  }

  #watch(latch: WatchedLatch): LatchWatch {
    const watch: LatchWatch = new LatchWatch(this.#parts, latch, () => {
      this.#watches.delete(latch.key);
      this.#registry.leave(watch);
    });
    this.#watches.set(latch.key, watch);
    this.#registry.enlist(watch);
    return watch;
  }
}
