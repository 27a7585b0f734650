import { Redis } from 'ioredis';
import type { SubscriberListener, SubscriberPort } from '../../src/index.js';

export type PortCommand = 'subscribe' | 'unsubscribe';

/**
 * A SubscriberPort on a real ioredis connection. A test can look at what was sent, and hold a command back or fail it before or
 * after the server has run it.
 */
export class IoredisPort implements SubscriberPort {
  /** Runs before a command is sent; what it throws is the outcome of a command that was never sent. */
  before: (command: PortCommand, channel: string) => Promise<void> | void = () => {};
  /** Runs when the server has confirmed; what it throws is the outcome although the server has run it. */
  after: (command: PortCommand, channel: string) => Promise<void> | void = () => {};
  /** Commands in the order of the calls. */
  readonly sent: string[] = [];
  readonly client: Redis;
  readonly #channels = new Set<string>();

  constructor(url: string) {
    this.client = new Redis(url, { autoResubscribe: false, retryStrategy: () => 10, maxRetriesPerRequest: null });
    this.client.on('error', () => {}); // a connection that is killed on purpose
  }

  listen(listener: SubscriberListener): void {
    let lost = false;
    this.client.on('message', (channel, message) => listener.onMessage(channel, message));
    this.client.on('close', () => {
      if (lost) return;
      lost = true;
      listener.onLost();
    });
    this.client.on('ready', () => {
      if (!lost) return;
      // `ready` comes before the subscriptions are back: only their confirmation is a return.
      const restored = this.#channels.size > 0 ? this.client.subscribe(...this.#channels) : this.client.ping();
      restored.then(
        () => {
          lost = false;
          listener.onRestored(new Set());
        },
        () => {}, // lost again meanwhile: the next `ready` tries again
      );
    });
  }

  async subscribe(channel: string): Promise<void> {
    await this.#perform('subscribe', channel);
    this.#channels.add(channel);
  }

  async unsubscribe(channel: string): Promise<void> {
    this.#channels.delete(channel);
    await this.#perform('unsubscribe', channel);
  }

  async #perform(command: PortCommand, channel: string): Promise<void> {
    this.sent.push(`${command} ${channel}`);
    await this.before(command, channel);
    await this.client[command](channel);
    await this.after(command, channel);
  }
}

/** A gate that a test opens: what waits at it goes on then. */
export class Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
  readonly reached: Promise<void>;
  readonly #reach: () => void;

  constructor() {
    const opening = promiseParts();
    const reaching = promiseParts();
    this.opened = opening.promise;
    this.open = opening.resolve;
    this.reached = reaching.promise;
    this.#reach = reaching.resolve;
  }

  /** Says that a call has come, and waits for `open`. */
  async pass(): Promise<void> {
    this.#reach();
    await this.opened;
  }
}

function promiseParts(): { promise: Promise<void>; resolve: () => void } {
  let resolve = () => {};
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}
