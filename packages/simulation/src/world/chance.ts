/**
 * The one source of randomness of a world.
 *
 * Every part of a world (a process, a task, one connection) draws from a source of its own, made from the seed and the part's name. So a part that
 * is left out, or draws once more, changes nothing for the others: that is what lets a failing run shrink.
 */

const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-';

/** Random choices that the seed repeats exactly: sfc32, seeded by splitmix32. */
export class Chance {
  readonly #seed: number;
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /** @param seed - a whole number; 32 bits of it count. */
  constructor(seed: number) {
    this.#seed = seed >>> 0;
    let state = this.#seed;
    const part = () => {
      state = (state + 0x9e3779b9) | 0;
      let mixed = state ^ (state >>> 16);
      mixed = Math.imul(mixed, 0x21f0aaad);
      mixed ^= mixed >>> 15;
      mixed = Math.imul(mixed, 0x735a2d97);
      return mixed ^ (mixed >>> 15);
    };
    this.#a = part();
    this.#b = part();
    this.#c = part();
    for (let round = 0; round < 8; round++) this.next();
  }

  /** A source for the part called `name`: the same whatever has been drawn from this one. */
  of(name: string): Chance {
    let hash = this.#seed ^ 0x811c9dc5;
    for (let at = 0; at < name.length; at++) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193);
    return new Chance(hash ^ (hash >>> 15));
  }

  /** From 0 up to, not including, 1. */
  readonly next = (): number => {
    const sum = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = ((this.#c << 21) | (this.#c >>> 11)) + sum;
    return (sum >>> 0) / 2 ** 32;
  };

  /** A whole number from 0 up to, not including, `limit`. */
  below(limit: number): number {
    return Math.floor(this.next() * limit);
  }

  /** From `least` up to `most`. */
  between(least: number, most: number): number {
    return least + this.next() * (most - least);
  }

  /** A whole number from `least` to `most`. */
  whole(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** Mostly near `least`, sometimes far up to `most`: sizes of things that are usually small. */
  mostlySmall(least: number, most: number): number {
    return least + this.next() ** 4 * (most - least);
  }

  /** True so often. */
  happens(share: number): boolean {
    return this.next() < share;
  }

  pick<T>(items: readonly T[]): T {
    const picked = items[this.below(items.length)];
    if (picked === undefined) throw new RangeError('nothing to pick from');
    return picked;
  }

  /** By weights. */
  weighed<K extends string>(weights: Readonly<Record<K, number>>): K {
    const entries = Object.entries(weights) as [K, number][];
    let left = this.next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
    for (const [kind, weight] of entries) {
      left -= weight;
      if (left < 0) return kind;
    }
    return this.pick(entries)[0];
  }

  /** So many characters of 6 bits each. */
  readonly text = (length: number): string => {
    let text = '';
    for (let at = 0; at < length; at++) text += LETTERS[this.below(64)];
    return text;
  };
}
