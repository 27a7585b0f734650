/** Who listens to which channel of a server. Plain channels and sharded ones do not hear each other, as in Redis. */

/** How a channel is subscribed to. */
export type ChannelKind = 'plain' | 'sharded';

/** One that hears channels: a connection. */
export interface Listener {
  hear(kind: ChannelKind, channel: string, message: string): void;
}

/** See the module comment. */
export class PubSub {
  readonly #channels = { plain: new Map<string, Set<Listener>>(), sharded: new Map<string, Set<Listener>>() };

  subscribe(kind: ChannelKind, channel: string, listener: Listener): void {
    const channels = this.#channels[kind];
    const listeners = channels.get(channel) ?? new Set();
    channels.set(channel, listeners.add(listener));
  }

  unsubscribe(kind: ChannelKind, channel: string, listener: Listener): void {
    const channels = this.#channels[kind];
    const listeners = channels.get(channel);
    listeners?.delete(listener);
    if (listeners?.size === 0) channels.delete(channel);
  }

  /** Returns how many have heard it. */
  publish(kind: ChannelKind, channel: string, message: string): number {
    const listeners = this.#channels[kind].get(channel);
    if (listeners === undefined) return 0;
    for (const listener of listeners) listener.hear(kind, channel, message);
    return listeners.size;
  }

  count(channel: string): number {
    return this.#channels.plain.get(channel)?.size ?? 0;
  }
}
