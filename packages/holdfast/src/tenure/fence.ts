/**
 * The fencing tokens of one tenure. The server gives it a span of them, t .. t + span - 1: the first hold has t, and each that gets the lock in
 * memory has the next, without a command. When the span is spent, the lock passes by a script, which mints another.
 *
 * Tokens of all owners of a lock rise in the order in which they own it, for no span is minted below the end of one before.
 */

/** What one holder writes with. The holds that re-enter one another share it. */
export class Fence {
  readonly token: number;
  /** By key: the last write that has been sent and not answered. Of keys without such a write nothing is kept, since a holder may write to ever new ones. */
  readonly underWay = new Map<string, Promise<unknown>>();
  #writes = 0;

  constructor(token: number) {
    this.token = token;
  }

  /**
   * Starts a write to `key`, with what is to be awaited before it, if anything is, and its number among the writes under this token: the numbers of
   * those to one key rise, which is all that they are for.
   */
  write(key: string, start: (before: Promise<unknown> | undefined, n: number) => Promise<void>): Promise<void> {
    const write = start(this.underWay.get(key), ++this.#writes);
    const settled = () => {
      if (this.underWay.get(key) === last) this.underWay.delete(key);
    };
    const last = write.then(settled, settled);
    this.underWay.set(key, last);
    return write;
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
