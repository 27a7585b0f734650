import type { Redis } from 'ioredis';

type Channel = { users: number; ready: Promise<unknown>; permits: number; readonly waiting: Set<() => void> };

/**
 * Release messages of one process, as Redisson's `LockPubSub`: one subscription for each lock that somebody waits for, and one permit, for
 * one waiter, for each message.
 */
export class Wakeups {
  readonly #subscriber: Redis;
  readonly #channels = new Map<string, Channel>();

  constructor(subscriber: Redis) {
    this.#subscriber = subscriber;
    subscriber.on('message', (name: string) => this.#wake(name));
  }

  /** Resolves when messages arrive. Every join needs a {@link leave}. */
  async join(name: string): Promise<void> {
    let channel = this.#channels.get(name);
    if (channel === undefined) {
      channel = { users: 0, ready: this.#subscriber.subscribe(name), permits: 0, waiting: new Set() };
      this.#channels.set(name, channel);
    }
    channel.users++;
    await channel.ready;
  }

  leave(name: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined || --channel.users > 0) return;
    this.#channels.delete(name);
    void this.#subscriber.unsubscribe(name);
  }

  /** Resolves with the next message that no other waiter has taken, after `timeoutMs` at the latest. */
  async next(name: string, timeoutMs: number): Promise<void> {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    if (channel.permits > 0) {
      channel.permits--;
      return;
    }
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        clearTimeout(timer);
        channel.waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, timeoutMs);
      channel.waiting.add(wake);
    });
  }

  #wake(name: string): void {
    const channel = this.#channels.get(name);
    if (channel === undefined) return;
    const [first] = channel.waiting;
    if (first === undefined) channel.permits = 1;
    else first();
  }
}
