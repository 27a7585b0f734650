import type { Clock, Timer } from '@holdfast/watchdog';
import type { Client } from './votes.js';

const LOOK_MS = 500;

/**
 * Tells when a client has been ended by whoever made it. One that is told to while it pauses between two attempts to connect pauses for good, and emits no
 * event: so in a pause it is looked at now and then. That keeps no process alive.
 */
export class ClientEnd {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #onEnd: () => void;
  #next: Timer | undefined;

  constructor(client: Client, clock: Clock, onEnd: () => void) {
    this.#client = client;
    this.#clock = clock;
    this.#onEnd = onEnd;
    client.once('end', onEnd);
    client.on('reconnecting', this.#lookSoon);
    this.#lookSoon();
  }

  stop(): void {
    this.#client.off('end', this.#onEnd);
    this.#client.off('reconnecting', this.#lookSoon);
    this.#rest();
  }

  readonly #lookSoon = (): void => {
    this.#rest();
    if (!isPausing(this.#client)) return;
    this.#next = this.#clock.setTimer(() => {
      if (isPausing(this.#client) && isToldToEnd(this.#client)) this.#onEnd();
      else this.#lookSoon();
    }, LOOK_MS);
    this.#next.unref?.();
  };

  #rest(): void {
    if (this.#next !== undefined) this.#clock.clearTimer(this.#next);
  }
}

/** The second is what a Cluster is that was told to end in a pause. */
const isPausing = ({ status }: Client) => status === 'reconnecting' || status === 'disconnecting';

/** ioredis has this flag in all its versions, for itself: it is set when the client is told to end, until its connection has. */
const isToldToEnd = (client: Client) =>
  (client as object as { readonly manuallyClosing?: boolean }).manuallyClosing === true;
