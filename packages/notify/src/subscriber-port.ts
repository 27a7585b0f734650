/** What a subscriber connection reports. None of these throws. */
export interface SubscriberListener {
  /** A message came in. Duplicates, stale and foreign messages are allowed: a message is only ever a hint. */
  onMessage(channel: string, message: string): void;
  /** The server has confirmed a channel, for the first time or on a new connection. */
  onConfirmed?(channel: string): void;
  /** The connection is gone: from now on messages may be missed. */
  onLost(): void;
  /**
   * Connected again **and** every confirmed channel subscribed again, but for those that are `missing`: refused for now, and tried again. Called
   * once more when one of them is back.
   */
  onRestored(missing: ReadonlySet<string>): void;
}

/**
 * The dedicated connection that receives messages; implemented by the owner of the connection.
 *
 * - A command on a connection is answered within a bound of the port's choosing, or the connection is replaced. Without a connection `subscribe` waits
 *   for one, since no waiter could be woken, and `unsubscribe` has nothing to do.
 * - Commands of one channel reach the server in the order of the calls, also across a reconnect.
 * - After a reconnect the port subscribes its confirmed channels again and only then calls `onRestored`; one that is refused does not keep the others.
 */
export interface SubscriberPort {
  /** Called for each part that shares the connection, before the first `subscribe`. They are told in the same order, and each ignores the channels of the others. */
  listen(listener: SubscriberListener): void;
  /** Resolves when the server has confirmed. Subscribing to a subscribed channel is harmless. */
  subscribe(channel: string): Promise<void>;
  /** Resolves when the server has confirmed. Leaving a channel that is not subscribed is harmless. */
  unsubscribe(channel: string): Promise<void>;
}
