/**
 * The fencing tokens of one tenure. The server gives it a span of them, t .. t + span - 1: the first hold has t, and each that gets the lock in
 * memory has the next, without a command. When the span is spent, the lock passes by a script, which mints another.
 *
 * Tokens of all owners of a lock rise in the order in which they own it, for no span is minted below the end of one before.
 */

/** What one holder writes with. The holds that re-enter one another share it. */
export class Fence {
  readonly token: number;
  /** The last write under this token to each key that it guards, and how many there were. */
  readonly writes = new Map<string, { count: number; last: Promise<unknown> }>();

  constructor(token: number) {
    this.token = token;
  }
}

/** See the module comment. */
export class FencingTokens {
  readonly #span: number;
  #current: Fence | undefined;
  #end = 0;

  constructor(span: number) {
    this.#span = span;
  }

  /** Of the present holder; undefined before the first one. */
  get current(): Fence | undefined {
    return this.#current;
  }

  /** The next holder cannot have one without the server. */
  get spent(): boolean {
    return this.#current === undefined || this.#current.token + 1 >= this.#end;
  }

  /** The server has given a span. */
  begin(first: number): void {
    this.#current = new Fence(first);
    this.#end = first + this.#span;
  }

  /** The lock passes to the next holder in memory. */
  advance(): void {
    if (this.#current !== undefined) this.#current = new Fence(this.#current.token + 1);
  }
}

/** A token as a message tells it; undefined for what is none. */
export function tokenOf(text: string | undefined): number | undefined {
  const token = text === undefined ? undefined : Number(text);
  return token !== undefined && Number.isSafeInteger(token) ? token : undefined;
}
