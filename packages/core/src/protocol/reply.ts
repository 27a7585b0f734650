/**
 * Reads raw script replies. This is the only place that knows how numbers arrive: as numbers, or as strings where the
 * user's ioredis client has `stringNumbers` set. Whatever is not exactly the expected shape is a {@link ProtocolError}:
 * an answer that we do not understand must never pass for success.
 */

/** Redis answered a script with something that the script cannot answer: a proxy, a foreign hash, or a bug. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code = 'HOLDFAST_PROTOCOL';
  /** The operation whose reply it was. */
  readonly operation: string;

  constructor(operation: string, problem: string) {
    super(`unexpected reply to ${operation}: ${problem}`);
    this.operation = operation;
  }
}

/** A reply: a word and what belongs to it, as an array, or as a text of words. Every reader throws {@link ProtocolError} on another shape. */
export class Reply {
  readonly #operation: string;
  readonly #items: readonly unknown[];

  constructor(operation: string, raw: unknown) {
    this.#operation = operation;
    if (Array.isArray(raw)) this.#items = raw;
    // Most are one word, and to split that takes ten times as long as to see that it is one.
    else if (typeof raw === 'string') this.#items = raw.includes(' ') ? raw.split(' ') : [raw];
    else this.fail(`an array was expected, not ${shapeOf(raw)}`);
  }

  get length(): number {
    return this.#items.length;
  }

  /** Throws unless there are exactly `length` items. */
  hasLength(length: number): this {
    if (this.length !== length) this.fail(`${length} items were expected, not ${this.length}`);
    return this;
  }

  /** The word that it begins with: one of these, each with the number of items that such a reply has. */
  status<Word extends string>(lengths: Readonly<Record<Word, number>>): Word {
    const word = this.text(0);
    if (!Object.hasOwn(lengths, word)) this.fail('unknown status');
    this.hasLength(lengths[word as Word]);
    return word as Word;
  }

  /** Throws unless it begins with this word, and has so many items. */
  says(word: string, length: number): this {
    this.status({ [word]: length });
    return this;
  }

  text(index: number): string {
    const item = this.#items[index];
    return typeof item === 'string' ? item : this.wrong(index, 'a string');
  }

  integer(index: number): number {
    const value = asInteger(this.#items[index]);
    return Number.isSafeInteger(value) ? value : this.wrong(index, 'a safe integer');
  }

  /** A count, a position or an instant: never negative. */
  natural(index: number): number {
    const value = this.integer(index);
    return value >= 0 ? value : this.wrong(index, 'not negative');
  }

  flag(index: number): boolean {
    const value = this.integer(index);
    return value === 0 || value === 1 ? value === 1 : this.wrong(index, '0 or 1');
  }

  /** Whether PTTL has found nothing there. */
  isAbsent(index: number): boolean {
    return asInteger(this.#items[index]) === -2;
  }

  /** As {@link remainingMs}, of what may be gone: then undefined too. */
  ttl(index: number): number | undefined {
    return this.isAbsent(index) ? undefined : this.remainingMs(index);
  }

  /** Remaining lease in ms, or undefined when the key has no TTL. Clients in other languages take longer ones than can be counted here: those are told as the longest that can. */
  remainingMs(index: number): number | undefined {
    const value = Math.min(asInteger(this.#items[index]), Number.MAX_SAFE_INTEGER);
    return value === -1 ? undefined : value >= 0 ? value : this.wrong(index, 'a time');
  }

  list(index: number): Reply {
    return new Reply(this.#operation, this.item(index));
  }

  /** As it came: a reply in this one. */
  item(index: number): unknown {
    return this.#items[index];
  }

  fail(problem: string): never {
    throw new ProtocolError(this.#operation, problem);
  }

  private wrong(index: number, expected: string): never {
    return this.fail(`item ${index} must be ${expected}, not ${shapeOf(this.#items[index])}`);
  }
}

/** NaN: it is none. One that is not safe may be another than was sent. */
function asInteger(item: unknown): number {
  const value = typeof item === 'string' && /^-?\d{1,19}$/.test(item) ? Number(item) : item;
  return Number.isInteger(value) ? (value as number) : NaN;
}

/** What a value is, for a message. The shape only: replies may hold lock names, which do not belong into error messages. */
export function shapeOf(item: unknown): string {
  if (Array.isArray(item)) return 'an array';
  const tag = Object.prototype.toString.call(item);
  return item === null ? 'null' : typeof item === 'object' && tag !== '[object Object]' ? tag : typeof item;
}
