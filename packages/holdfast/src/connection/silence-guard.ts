/**
 * Notices a connection that is open but answers nothing (a peer that vanished without a reset, a black hole) and has it replaced. The
 * commands in flight are then sent again on the new connection, where the scripts recognise what already ran.
 */

import type { LinkTools } from './link-tools.js';

/** See the module comment; one for each connection. */
export class SilenceGuard {
  readonly #tools: LinkTools;
  readonly #onSilence: () => void;
  #owed = 0;
  #quietSince = 0;
  #armed = false;

  constructor(tools: LinkTools, onSilence: () => void) {
    this.#tools = tools;
    this.#onSilence = onSilence;
  }

  sent(at: number): void {
    if (this.#owed++ === 0) this.#quietSince = at;
    if (this.#armed) return;
    this.#armed = true;
    this.#tools.at(at + this.#tools.silenceMs, this.#look);
  }

  answered(at: number): void {
    this.#owed--;
    this.#quietSince = at;
  }

  readonly #look = (): void => {
    this.#armed = false;
    if (this.#owed === 0) return;
    const { silenceMs } = this.#tools;
    const now = this.#tools.now();
    const due = this.#quietSince + silenceMs;
    if (now >= due) {
      this.#quietSince = now;
      this.#onSilence();
    }
    this.#armed = true;
    this.#tools.at(Math.max(due, now + silenceMs / 2), this.#look);
  };
}
