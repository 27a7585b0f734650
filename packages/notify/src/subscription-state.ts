/**
 * The bookkeeping of one channel, without I/O: what we want, what the server is known to have, and what to send next.
 *
 * | server is | wanted | `next()` says | then |
 * |---|---|---|---|
 * | off | yes | subscribe | unsure until its outcome: on, or failed |
 * | on | no | unsubscribe | unsure until its outcome: off, or failed |
 * | unsure, after a failure | yes | subscribe | as above |
 * | unsure, after a failed subscribe | no | unsubscribe | as above |
 * | unsure, after a failed unsubscribe | no | nothing | until a new wish or a restored connection |
 * | off / on | no / yes | nothing | |
 *
 * Wishes may change at any moment and send nothing by themselves. The code that performs the commands, one at a time, calls `next()`
 * until it has nothing more to say. So a join during an unsubscribe becomes a subscribe *after* it, and a leave during a subscribe
 * an unsubscribe after its confirmation: the two never overtake each other.
 *
 * A failed command may have reached the server, or reach it still. Therefore a failed subscribe is followed by an unsubscribe,
 * and nothing counts as gone before the server has said so. A failed unsubscribe is not repeated in a loop: it would fail for
 * the same reason.
 *
 * A lost connection changes neither column: the port itself subscribes again what was on.
 */
export type SubscriptionCommand = 'subscribe' | 'unsubscribe';

export class SubscriptionState {
  #wanted = false;
  #server: 'off' | 'on' | 'unsure' = 'off';
  #connected = true;
  /** An unsubscribe failed, and nothing has changed since. */
  #stuck = false;

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
    this.#stuck = false;
  }

  unwant(): void {
    this.#wanted = false;
    this.#stuck = false;
  }

  lost(): void {
    this.#connected = false;
  }

  restored(): void {
    this.#connected = true;
    this.#stuck = false;
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
    else this.#stuck = true;
  }

  #due(): SubscriptionCommand | undefined {
    if (this.#wanted) return this.#server === 'on' ? undefined : 'subscribe';
    return this.#server === 'off' || this.#stuck ? undefined : 'unsubscribe';
  }
}
