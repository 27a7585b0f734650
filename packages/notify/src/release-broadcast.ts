import { ChannelSubscription, refused } from './channel-subscription.js';
import { type ErrorListener, guarded, report } from './guarded.js';
import type { SubscriberListener, SubscriberPort } from './subscriber-port.js';

/** What one waiter of Redisson's channel hears. Both mean: try again. */
export interface ReleaseListener {
  /** A client published a release. Another one may have the lock by now. */
  onReleased(): void;
  /** The connection was lost, or is back: releases may have been missed. */
  onGap(): void;
}

/** One waiter's share in a channel's subscription. */
export interface Membership {
  /**
   * Resolves when the server has confirmed: a release from here on is heard or reported as a gap, so try once more and then
   * wait. While the connection is lost it waits for its return. Rejects with what the port rejected with, and the membership
   * is over then; with SubscriptionClosedError when all left or the broadcast was closed before.
   * A rejection without a handler is not reported as unhandled.
   */
  readonly confirmed: Promise<void>;
  /** Hears nothing any more; the last one to leave unsubscribes. Later calls do nothing. */
  readonly leave: () => void;
}

export interface ReleaseBroadcastOptions {
  readonly port: SubscriberPort;
  /** Errors of listeners, and failures that no caller waits for. */
  readonly onError: ErrorListener;
}

interface Member {
  readonly listener: ReleaseListener;
}

interface Channel {
  readonly subscription: ChannelSubscription;
  readonly members: Set<Member>;
}

/**
 * Redisson's release channels, `redisson_lock__channel:{name}`: each release publishes, and every process that waits tries
 * again. One subscription per channel however many wait.
 *
 * A release between a failed attempt and the subscription is not missed if the waiter keeps the order: join, await `confirmed`,
 * **try again**, then wait. An expiry publishes nothing; for that a waiter asks on a timer too (see `nextAskDelayMs`).
 *
 * The broadcast hears its port only when that has been given its `listener`.
 */
export class ReleaseBroadcast {
  /** For {@link SubscriberPort.listen}. */
  readonly listener: SubscriberListener;
  readonly #options: ReleaseBroadcastOptions;
  readonly #channels = new Map<string, Channel>();
  #connected = true;
  #closed = false;

  constructor(options: ReleaseBroadcastOptions) {
    this.#options = options;
    this.listener = {
      onMessage: (channel) => this.#tell(this.#channels.get(channel), (listener) => listener.onReleased()),
      onLost: () => {
        this.#connected = false;
        for (const { subscription } of this.#channels.values()) subscription.lost();
        this.#gap();
      },
      onRestored: (missing) => {
        this.#connected = true;
        for (const [name, channel] of this.#channels) {
          if (missing.has(name)) continue;
          channel.subscription.restored();
          // An unsubscribe that failed with the connection.
          if (channel.members.size === 0) void this.#drop(name, channel);
        }
        this.#gap();
      },
    };
  }

  /**
   * Channels that are subscribed, have a command under way, or whose unsubscribe failed (that is repeated when the connection is
   * back, and on `close`): 0 when nothing is left.
   */
  get size(): number {
    return this.#channels.size;
  }

  /** Starts hearing a channel, subscribing unless this process does already; also while its unsubscribe is under way. */
  join(channel: string, listener: ReleaseListener): Membership {
    if (this.#closed) return { confirmed: refused(channel), leave: () => {} };
    const joined = this.#channels.get(channel) ?? this.#add(channel);
    const member: Member = { listener };
    joined.members.add(member);
    const confirmed = joined.subscription.hold();
    const leave = () => {
      if (joined.members.delete(member) && joined.members.size === 0) void this.#drop(channel, joined);
    };
    confirmed.catch(leave);
    return { confirmed, leave };
  }

  /**
   * Leaves all channels for good: pending confirmations reject, no listener hears anything any more. Resolves when the server
   * has confirmed or the port has given up; at once while the connection is lost. Never rejects.
   */
  async close(): Promise<void> {
    this.#closed = true;
    const dropped = [...this.#channels].map(([channel, left]) => {
      left.members.clear();
      return this.#drop(channel, left);
    });
    if (this.#connected) await Promise.all(dropped);
  }

  #add(name: string): Channel {
    const subscription = new ChannelSubscription(this.#options.port, name, (error) => this.#report(error));
    if (!this.#connected) subscription.lost();
    const channel = { subscription, members: new Set<Member>() };
    this.#channels.set(name, channel);
    return channel;
  }

  async #drop(name: string, channel: Channel): Promise<void> {
    await channel.subscription.drop();
    // A waiter may have joined meanwhile, or the channel been dropped, forgotten and added anew.
    if (channel.subscription.idle && this.#channels.get(name) === channel) this.#channels.delete(name);
  }

  #gap(): void {
    const channels = [...this.#channels.values()];
    for (const channel of channels) this.#tell(channel, (listener) => listener.onGap());
  }

  #tell(channel: Channel | undefined, say: (listener: ReleaseListener) => void): void {
    if (channel === undefined) return;
    // A copy: a listener that leaves and joins again must not be told of the same release twice.
    const told = [...channel.members];
    for (const member of told) {
      if (channel.members.has(member)) guarded(() => say(member.listener), this.#options.onError);
    }
  }

  /** When closing, the connection ends too and takes the subscriptions along: a failed unsubscribe is no news. */
  #report(error: unknown): void {
    if (!this.#closed) report(error, this.#options.onError);
  }
}
