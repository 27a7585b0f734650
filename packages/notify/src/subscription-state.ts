/**
 * The bookkeeping of one channel, without I/O: what we want, what the server is known to have, and what to send next.
 *
 * ```
 *            want()            next() = subscribe         succeeded
 *   off ----------------> off, wanted ----------> unsure ----------> on
 *    ^                                              |                 |  unwant()
 *    |  succeeded, failed                    failed |                 v
 *    +------------------- unsure <------------------+--------- on, not wanted
 *                          next() = unsubscribe
 * ```
 *
 * Wishes may change at any moment; they never send anything themselves. Whoever performs the commands, one at a time, calls
 * `next()` until it has nothing more to say, so a join during an unsubscribe is a subscribe *after* it, and a leave during a
 * subscribe an unsubscribe after its confirmation.
 *
 * `unsure` is both "a command is under way" and "a subscribe failed": a failed one may still reach the server, therefore it
 * is followed by an unsubscribe and can leave nothing behind. A failed unsubscribe is not repeated: a subscription too many
 * brings messages that nobody listens to, and the next subscribe and unsubscribe of the channel put it right.
 *
 * Loss of the connection is independent of all this: the port subscribes again by itself what was on.
 */
export type SubscriptionCommand = 'subscribe' | 'unsubscribe';

export class SubscriptionState {
  #wanted = false;
  #server: 'off' | 'on' | 'unsure' = 'off';
  #connected = true;

  /** Whether the connection is up, as far as it was reported. */
  get connected(): boolean {
    return this.#connected;
  }

  get wanted(): boolean {
    return this.#wanted;
  }

  /** Wanted, confirmed by the server, and no loss of the connection since. */
  get confirmed(): boolean {
    return this.#wanted && this.#server === 'on' && this.#connected;
  }

  /** Nothing wanted, nothing there, nothing under way. */
  get idle(): boolean {
    return !this.#wanted && this.#server === 'off';
  }

  want(): void {
    this.#wanted = true;
  }

  unwant(): void {
    this.#wanted = false;
  }

  lost(): void {
    this.#connected = false;
  }

  restored(): void {
    this.#connected = true;
  }

  /** The command to send now, if any. From here on the server's side is unsure until its outcome is told. */
  next(): SubscriptionCommand | undefined {
    const command = this.#due();
    if (command !== undefined) this.#server = 'unsure';
    return command;
  }

  succeeded(command: SubscriptionCommand): void {
    this.#server = command === 'subscribe' ? 'on' : 'off';
  }

  /** After a failed subscribe nothing is wanted any more: those who wanted it are told, and may want it anew. */
  failed(command: SubscriptionCommand): void {
    if (command === 'subscribe') this.#wanted = false;
    else this.#server = 'off';
  }

  #due(): SubscriptionCommand | undefined {
    if (this.#wanted) return this.#server === 'on' ? undefined : 'subscribe';
    return this.#server === 'off' ? undefined : 'unsubscribe';
  }
}
