/** What a client tells of the holds of one lock: how many were lost while their scopes lived, and how many were open when those ended, which two events tell. */

import type { LockClientEvents } from 'holdfast';
import type { Desk } from './desk.js';

/** See the module comment. Listens until `stop`. */
export class Told {
  /** For another reason than that their scope has ended. */
  lost = 0;
  /** Lost to the end of their scope. */
  left = 0;
  leaks = 0;
  readonly #stop: () => void;

  constructor({ client }: Desk, lock: string) {
    const lost = ({ name, error }: LockClientEvents['lost'][0]) => {
      if (name !== lock) return;
      if (error.reason === 'scope-ended') this.left++;
      else this.lost++;
    };
    const leak = ({ name, how }: LockClientEvents['leak'][0]) => {
      if (name === lock && how === 'scope-ended') this.leaks++;
    };
    client.on('lost', lost);
    client.on('leak', leak);
    this.#stop = () => {
      client.off('lost', lost);
      client.off('leak', leak);
    };
  }

  /** What was told before was told of others. */
  begin(): void {
    this.lost = 0;
    this.left = 0;
    this.leaks = 0;
  }

  stop(): void {
    this.#stop();
  }
}
