/** What a client tells of the holds of one lock: how many were lost, and how many were open when their scope ended, which is an event of its own. */

import type { LockClientEvents } from 'holdfast';
import type { Desk } from './desk.js';

/** See the module comment. Listens until `stop`. */
export class Told {
  lost = 0;
  leaks = 0;
  readonly #stop: () => void;

  constructor({ client }: Desk, lock: string) {
    const lost = ({ name }: LockClientEvents['lost'][0]) => {
      if (name === lock) this.lost++;
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
    this.leaks = 0;
  }

  stop(): void {
    this.#stop();
  }
}
