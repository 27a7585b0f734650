/**
 * Which errors of connections are told: each once when it is new, and at most every ten seconds while it repeats. A server that is away would
 * fill a log otherwise, with each attempt of each connection.
 */

import { redacted } from './reply-errors.js';
import { describeTrouble } from './trouble.js';

/** A repeated error is told again after this. */
const REPEAT_MS = 10_000;

/** See the module comment. */
export class ToldErrors {
  readonly #now: () => number;
  readonly #tell: (error: Error) => void;
  /** When each was told, by its text. */
  readonly #toldAt = new Map<string, number>();

  constructor(now: () => number, tell: (error: Error) => void) {
    this.#now = now;
    this.#tell = tell;
  }

  /** @param what - went wrong, in words. */
  note(what: string, error: unknown): void {
    const cause = redacted(error);
    const message = `${what}: ${describeTrouble(cause)}`;
    const now = this.#now();
    for (const [text, at] of this.#toldAt) if (now - at >= REPEAT_MS) this.#toldAt.delete(text);
    if (this.#toldAt.has(message)) return;
    this.#toldAt.set(message, now);
    const code = 'code' in cause ? { code: cause.code } : {};
    this.#tell(Object.assign(new Error(message, { cause }), code));
  }
}
