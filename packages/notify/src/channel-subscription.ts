import { Semaphore } from 'async-mutex';
import { type ErrorListener, report } from './guarded.js';
import type { SubscriberPort } from './subscriber-port.js';
import { type SubscriptionCommand, SubscriptionState } from './subscription-state.js';
import { quietWait, type Wait } from './wait.js';

/** The subscription was given up, or its owner closed, before the server had confirmed it. */
export class SubscriptionClosedError extends Error {
  /** Stable code to branch on. */
  readonly code = 'HOLDFAST_SUBSCRIPTION_CLOSED';
  override readonly name = 'SubscriptionClosedError';

  constructor(channel: string) {
    super(`The subscription to ${channel} is closed`);
  }
}

/** What those get who want a channel of an owner that is closed: a rejection that is never reported as unhandled. */
export function refused(channel: string): Promise<void> {
  const wait = quietWait<void>();
  wait.reject(new SubscriptionClosedError(channel));
  return wait.promise;
}

/** One channel of a subscriber connection: performs what {@link SubscriptionState} says, one command at a time. */
export class ChannelSubscription {
  readonly #state = new SubscriptionState();
  /** What `Mutex` of that package is, without the class around it, which a bundle would carry too. */
  readonly #mutex = new Semaphore(1);
  readonly #port: SubscriberPort;
  readonly #channel: string;
  readonly #onError: ErrorListener;
  #confirmation: Wait<void> | undefined;

  /** @param onError - hears failures that no caller waits for: of an unsubscribe, and of a subscribe that all have left. */
  constructor(port: SubscriberPort, channel: string, onError: ErrorListener) {
    this.#port = port;
    this.#channel = channel;
    this.#onError = onError;
  }

  get confirmed(): boolean {
    return this.#state.confirmed;
  }

  get idle(): boolean {
    return this.#state.idle;
  }

  get connected(): boolean {
    return this.#state.connected;
  }

  /** Wants the channel. Resolves when it is confirmed; all who want it meanwhile share one confirmation or one failure. */
  hold(): Promise<void> {
    this.#state.want();
    if (this.#state.confirmed) return Promise.resolve();
    if (this.#confirmation === undefined) {
      this.#confirmation = quietWait<void>();
      void this.#reconcile();
    }
    return this.#confirmation.promise;
  }

  /**
   * Wants the channel no more. Resolves when nothing of it is left on the server, or when the port has failed to see to that: then
   * it is not `idle`, and calling again tries again.
   */
  drop(): Promise<void> {
    this.#state.unwant();
    this.#settleConfirmation((wait) => wait.reject(new SubscriptionClosedError(this.#channel)));
    return this.#reconcile();
  }

  lost(): void {
    this.#state.lost();
  }

  restored(): void {
    this.#state.restored();
    this.#confirm();
  }

  /** Never rejects. The mutex makes it one command at a time; each turn looks at the wishes of that moment. */
  #reconcile(): Promise<void> {
    return this.#mutex.runExclusive(async () => {
      for (let command = this.#state.next(); command !== undefined; command = this.#state.next()) {
        await this.#perform(command);
      }
    });
  }

  async #perform(command: SubscriptionCommand): Promise<void> {
    try {
      await this.#port[command](this.#channel);
    } catch (error) {
      return this.#fail(command, error);
    }
    this.#state.succeeded(command);
    this.#confirm();
  }

  #fail(command: SubscriptionCommand, error: unknown): void {
    const awaited = command === 'subscribe' && this.#confirmation !== undefined;
    this.#state.failed(command);
    if (awaited) this.#settleConfirmation((wait) => wait.reject(error));
    else report(error, this.#onError);
  }

  #confirm(): void {
    if (this.#state.confirmed) this.#settleConfirmation((wait) => wait.resolve());
  }

  #settleConfirmation(settle: (wait: Wait<void>) => void): void {
    const wait = this.#confirmation;
    this.#confirmation = undefined;
    if (wait !== undefined) settle(wait);
  }
}
