import { ChannelSubscription, refused } from './channel-subscription.js';
import { type ErrorListener, guarded, report } from './guarded.js';
import { type InboxMessage, parseInboxMessage } from './inbox-message.js';
import type { SubscriberListener, SubscriberPort } from './subscriber-port.js';

/** What one tenure hears. */
export interface InboxListener {
  /** A message to this tenure. Of kind `look`: it was not understood, so it may have said anything; one that names no tenure is told to all. */
  onMessage(message: InboxMessage): void;
  /** Messages may have been missed: ask Redis at once. May come several times for one cause. */
  onGap(): void;
}

export interface InboxOptions {
  readonly port: SubscriberPort;
  /** The channel of this client, `holdfast_inbox:<clientId>`. */
  readonly channel: string;
  /** Errors of listeners, and failures that no caller waits for. */
  readonly onError: ErrorListener;
  /** A lock was given to a tenure that nobody here listens for. It must not throw. */
  onStrayGrant?(tenure: string): void;
}

/**
 * The inbox of one client: one channel, subscribed once and kept until `close`, for all its locks. Messages are routed by tenure
 * id, so a wait costs no SUBSCRIBE.
 *
 * A message is a hint that state in Redis has changed; it may be late, doubled, reordered or missing. The inbox never lets a miss
 * go unnoticed: when the connection is lost and when it is back, and when it opens, every tenure hears `onGap`.
 *
 * The inbox hears its port only when that has been given its `listener`.
 */
export class Inbox {
  /** For {@link SubscriberPort.listen}. */
  readonly listener: SubscriberListener;
  readonly #options: InboxOptions;
  readonly #subscription: ChannelSubscription;
  /** A place is emptied when it is left: old tables of the map, which V8 keeps for a while, then hold on to nothing. */
  readonly #places = new Map<string, { listener: InboxListener | undefined }>();
  #closed = false;
  /** The opening under way, unless its end has been told of. One for all who wait for it: they may be as many as there are locks taken meanwhile. */
  #opening: Promise<void> | undefined;

  constructor(options: InboxOptions) {
    this.#options = options;
    this.#subscription = new ChannelSubscription(options.port, options.channel, (error) => this.#report(error));
    this.listener = {
      onMessage: (channel, message) => {
        if (channel === options.channel) this.#route(parseInboxMessage(message));
      },
      onLost: () => {
        this.#subscription.lost();
        this.#gap();
      },
      onRestored: (missing) => {
        if (missing.has(options.channel)) return;
        this.#subscription.restored();
        if (this.confirmed) this.#opening = undefined;
        this.#gap();
      },
    };
  }

  /** The server has confirmed the subscription, and the connection was not lost since. */
  get confirmed(): boolean {
    return this.#subscription.confirmed;
  }

  /** How many tenures are registered. */
  get size(): number {
    return this.#places.size;
  }

  /**
   * Resolves as soon as the inbox is `confirmed`: after the first subscribe, or when a lost connection is back. All callers share
   * one subscribe; after a failure the next call tries anew. Has no deadline of its own beyond that of the port.
   * A rejection without a handler is not reported as unhandled.
   *
   * @throws what the port rejected with, or SubscriptionClosedError after `close`.
   */
  open(): Promise<void> {
    if (this.#closed) return refused(this.#options.channel);
    if (this.confirmed) return Promise.resolve();
    const opening = this.#subscription.hold();
    if (this.#opening !== opening) {
      this.#opening = opening;
      opening.then(
        () => {
          if (this.#opening !== opening) return;
          this.#opening = undefined;
          // Tenures that went on without an inbox have missed what was sent meanwhile.
          this.#gap();
        },
        () => undefined,
      );
    }
    return opening;
  }

  /**
   * Routes the messages of a tenure to its listener. A message that came before is not kept: register first, then ask.
   *
   * @throws Error when the tenure is registered already; its id is fresh by protocol.
   */
  register(tenure: string, listener: InboxListener): void {
    if (this.#places.has(tenure)) throw new Error('This tenure is registered already');
    this.#places.set(tenure, { listener });
  }

  /** Ends the routing: later messages to the tenure reach nobody. Does nothing for an unknown tenure. */
  unregister(tenure: string): void {
    const place = this.#places.get(tenure);
    if (place === undefined) return;
    place.listener = undefined;
    this.#places.delete(tenure);
  }

  /**
   * Leaves the channel for good: pending `open` calls reject, no listener hears anything any more. Resolves when the server has
   * confirmed or the port has given up; at once while the connection is lost. Never rejects.
   */
  async close(): Promise<void> {
    this.#closed = true;
    for (const place of this.#places.values()) place.listener = undefined;
    this.#places.clear();
    const dropped = this.#subscription.drop();
    if (this.#subscription.connected) await dropped;
  }

  #route(message: InboxMessage): void {
    if (this.#closed) return;
    if (message.tenure === undefined) {
      return this.#tellAll((listener) => listener.onMessage(message));
    }
    const listener = this.#places.get(message.tenure)?.listener;
    if (listener !== undefined) guarded(() => listener.onMessage(message), this.#options.onError);
    else if (message.kind === 'grant') this.#options.onStrayGrant?.(message.tenure);
  }

  #gap(): void {
    this.#tellAll((listener) => listener.onGap());
  }

  #tellAll(say: (listener: InboxListener) => void): void {
    // A copy, because reactions register and unregister: a tenure that is new has missed nothing, one that ended hears nothing.
    for (const { listener } of [...this.#places.values()]) {
      if (listener !== undefined) guarded(() => say(listener), this.#options.onError);
    }
  }

  /** When closing, the connection ends too and takes the subscription along: a failed unsubscribe is no news. */
  #report(error: unknown): void {
    if (!this.#closed) report(error, this.#options.onError);
  }
}
