import { inspect } from 'node:util';
import { guarded } from './guarded.js';

/** One wait's interest in a signal. An object of its own, so that one function may be subscribed twice. */
interface Subscriber {
  readonly onAbort: () => void;
}

interface Watched {
  readonly subscribers: Set<Subscriber>;
  readonly listener: () => void;
}

/**
 * Lets any number of waits hang on one `AbortSignal` through a single listener: a listener for each would make Node print
 * `MaxListenersExceededWarning` for every busy request. The listener goes when the last wait leaves.
 */
export class AbortHub {
  readonly #watched = new Map<AbortSignal, Watched>();

  /** How many signals are listened to. */
  get size(): number {
    return this.#watched.size;
  }

  /**
   * Calls `onAbort` once when the signal aborts; before returning if it has aborted already. What it throws is a process warning.
   *
   * @returns leaves; does nothing after the abort or when called again.
   */
  subscribe(signal: AbortSignal, onAbort: () => void): () => void {
    if (signal.aborted) {
      guarded(onAbort, warn);
      return () => {};
    }
    const watched = this.#watched.get(signal) ?? this.#watch(signal);
    const subscriber: Subscriber = { onAbort };
    watched.subscribers.add(subscriber);
    return () => {
      if (!watched.subscribers.delete(subscriber) || watched.subscribers.size > 0) return;
      signal.removeEventListener('abort', watched.listener);
      this.#watched.delete(signal);
    };
  }

  #watch(signal: AbortSignal): Watched {
    const subscribers = new Set<Subscriber>();
    const listener = () => {
      this.#watched.delete(signal);
      // Live iteration: a subscriber that leaves because of another one's abort is not called any more.
      for (const subscriber of subscribers) {
        subscribers.delete(subscriber);
        guarded(subscriber.onAbort, warn);
      }
    };
    const watched = { subscribers, listener };
    signal.addEventListener('abort', listener, { once: true });
    this.#watched.set(signal, watched);
    return watched;
  }
}

function warn(error: unknown): void {
  process.emitWarning(inspect(error), 'HoldfastWarning');
}
