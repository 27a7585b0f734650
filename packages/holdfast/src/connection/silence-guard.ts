/**
 * Notices a connection that is open but answers nothing (a peer that vanished without a reset, a black hole) and has it replaced. The
 * commands under way are then sent again on the new connection, where the scripts recognise what already ran.
 */

import type { ConnectionTools } from './connection-tools.js';
import { whenRead } from './reading.js';

/** See the module comment; one for each connection. */
export class SilenceGuard {
  readonly #tools: ConnectionTools;
  readonly #onSilence: () => void;
  #owed = 0;
  #quietSince = 0;
  #armed = false;
  #closed = false;

  constructor(tools: ConnectionTools, onSilence: () => void) {
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
    this.#owed = Math.max(0, this.#owed - 1);
    this.#quietSince = at;
  }

  /** For how long answers have been owed, at clock time `at`. */
  silentMs(at: number): number {
    return this.#owed === 0 ? 0 : at - this.#quietSince;
  }

  /** The connection is over, and nothing is owed any more. A client of yours may forget what was under way, without a word. */
  forget(): void {
    this.#owed = 0;
  }

  /** Sets no timer any more. */
  close(): void {
    this.#closed = true;
  }

  readonly #look = (): void => {
    whenRead(this.#tools.nextTurn, this.#judge);
  };

  readonly #judge = (): void => {
    this.#armed = false;
    if (this.#owed === 0 || this.#closed) return;
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
