import type { Redis } from 'ioredis';

/**
 * Commands of one turn of the event loop leave together.
 *
 * ioredis writes every command to the socket by itself: one system call each, and each may wake the server. When many are under way, those
 * sent in one turn (by the 64 tasks that one packet of replies has woken, say) are held until the turn is over and leave as one packet.
 * With few under way that would cost more than it saves, so the wire only asks for it in a crowd.
 */
export class Packet {
  #held: Redis['stream'] | undefined;

  /** Holds what is written to `stream` until the end of this turn. */
  gather(stream: Redis['stream']): void {
    if (this.#held !== undefined) return;
    this.#held = stream;
    stream.cork();
    process.nextTick(this.#leave);
  }

  readonly #leave = (): void => {
    this.#held?.uncork();
    this.#held = undefined;
  };
}
