import type { Redis } from 'ioredis';
import { nextTick } from './next-tick.js';

/**
 * What leaves at once at most. With fewer in a batch the system calls weigh; with more the server has nothing to do while a batch is made, and the
 * client while it is served: with 64 locks at once a batch of all 64 was served at two thirds of the rate of four batches of 16.
 */
const FULL = 16;

/**
 * Commands of one turn of the event loop leave together.
 *
 * ioredis writes every command to the socket by itself: one system call each, and each may wake the server. When many are under way, those
 * sent in one turn (by the 64 tasks that one batch of replies has woken, say) are held until there are some, or the turn is over, and leave
 * as one batch. With few under way that would cost more than it saves, so the sender only asks for it in a crowd.
 */
export class WriteBatch {
  #held: Redis['stream'] | undefined;
  #commands = 0;

  /** Holds what is written to `stream` from now on, until the batch is full or this turn ends. Called before each command. */
  gather(stream: Redis['stream']): void {
    if (this.#held === undefined) {
      this.#held = stream;
      stream.cork();
      nextTick(this.#end);
    } else if (this.#commands === FULL) {
      this.#held.uncork();
      this.#held.cork();
      this.#commands = 0;
    }
    this.#commands++;
  }

  readonly #end = (): void => {
    this.#held?.uncork();
    this.#held = undefined;
    this.#commands = 0;
  };
}
