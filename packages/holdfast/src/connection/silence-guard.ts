/**
 * Notices a connection that is open but answers nothing (a peer that vanished without a reset, a black hole) and has it replaced. The
 * commands under way are then sent again on the new connection, where the scripts recognise what already ran.
 */

import type { ConnectionTools } from './connection-tools.js';
import { LATE_MS, whenRead } from './reading.js';

/** See the module comment; one for each connection. */
export class SilenceGuard {
  readonly #tools: ConnectionTools;
  readonly #onSilence: () => void;
  #owed = 0;
  #quietSince = 0;
  /** When it looks next; undefined: not at all. */
  #looksAt: number | undefined;
  /** It has found silence, or looked too late, and waits once more. */
  #doubts = false;
  #closed = false;

  constructor(tools: ConnectionTools, onSilence: () => void) {
    this.#tools = tools;
    this.#onSilence = onSilence;
  }

  sent(at: number): void {
    if (this.#owed++ === 0) this.#quietSince = at;
    if (this.#looksAt === undefined) this.#lookAt(at + this.#tools.silenceMs);
  }

  answered(at: number): void {
    this.#owed = Math.max(0, this.#owed - 1);
    this.#quietSince = at;
    this.#doubts = false;
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

  #lookAt(time: number): void {
    this.#looksAt = time;
    this.#tools.at(time, this.#look);
  }

  readonly #look = (): void => {
    if (this.#closed) return;
    const { now, nextTurn } = this.#tools;
    // What has passed until here: it may stand still before the sockets are read, or behind that.
    const at = now();
    if (!this.#doubts && this.#waitsOnceMore(at)) return;
    this.#doubts = false;
    whenRead(nextTurn, () => this.#judge(at));
  };

  /** What it waits for may not have been written when its time began; and the loop may have stood still for just as long as a server may be silent. */
  #waitsOnceMore(at: number): boolean {
    if (this.#owed === 0) return false;
    const { silenceMs } = this.#tools;
    if (at - (this.#looksAt ?? at) > LATE_MS) {
      this.#quietSince = Math.max(this.#quietSince, at - silenceMs / 2);
      this.#lookAt(this.#quietSince + silenceMs);
    } else if (this.silentMs(at) >= silenceMs) this.#lookAt(at + LATE_MS);
    else return false;
    this.#doubts = true;
    return true;
  }

  #judge(at: number): void {
    this.#looksAt = undefined;
    if (this.#owed === 0 || this.#closed) return;
    const { silenceMs } = this.#tools;
    const due = this.#quietSince + silenceMs;
    if (at >= due) {
      this.#quietSince = at;
      this.#onSilence();
    }
    this.#lookAt(Math.max(due, at + silenceMs / 2));
  }
}
