import { nearNames, type SeededRandom } from '@holdfast/testkit';
import { corpus, type CorpusKind } from './bad-input-corpus.js';
import type { Way } from './bad-input-calls.js';

/** One generated use. `options` of a client are beside `redis`. */
export type Generated =
  | {
      readonly subject: 'lock';
      readonly name: unknown;
      readonly owner: unknown;
      readonly options: unknown;
      readonly way: Way;
    }
  | { readonly subject: 'client'; readonly options: unknown };

const waysToTake: readonly Way[] = ['lock', 'tryLock', 'acquire', 'tryAcquire', 'withLock', 'tryWithLock'];
const optionKeys = ['waitMs', 'leaseMs', 'maxHoldMs'] as const;

const clientTimes = [
  'watchdogTimeoutMs',
  'maxHoldMs',
  'attemptTimeoutMs',
  'responseTimeoutMs',
  'claimLeaseMs',
  'reaskMs',
];

const valuesOf = (kind: CorpusKind, wanted: 'good' | 'bad'): unknown[] =>
  corpus
    .filter((entry) => entry.kind === kind && (entry.outcome === 'works') === (wanted === 'good'))
    .map(({ value }) => value);

/** Endless input, half of it meant to be right: the corpus, recombined, and values made of the pieces that have meaning somewhere. */
export class InputGenerator {
  readonly #random: SeededRandom;
  readonly #pools = new Map<string, unknown[]>();

  constructor(random: SeededRandom) {
    this.#random = random;
  }

  next(): Generated {
    const wanted = this.#chance(0.5) ? 'good' : 'bad';
    return this.#chance(0.97) ? this.#lock(wanted) : this.#client(wanted);
  }

  #lock(wanted: 'good' | 'bad'): Generated {
    const way = this.#random.pick(waysToTake);
    // At least one of the four is bad when a bad one is wanted; the others are either.
    const spoilt = wanted === 'bad' ? this.#random.below(4) : -1;
    const kindOf = (index: number) => (index === spoilt || (wanted === 'bad' && this.#chance(0.2)) ? 'bad' : 'good');
    return {
      subject: 'lock',
      way,
      name: this.#name(kindOf(0)),
      owner: this.#chance(0.3) || spoilt === 1 ? this.#owner(kindOf(1)) : undefined,
      options: spoilt === 2 ? this.#corpusValue('options', 'bad') : this.#options(kindOf(3), way),
    };
  }

  #client(wanted: 'good' | 'bad'): Generated {
    if (this.#chance(0.5)) return { subject: 'client', options: this.#corpusValue('client', wanted) };
    return { subject: 'client', options: { [this.#random.pick(clientTimes)]: this.#time('maxHoldMs', wanted) } };
  }

  #name(wanted: 'good' | 'bad'): unknown {
    if (this.#chance(0.3)) return this.#corpusValue('name', wanted);
    const pieces = ['a', 'é', '🔒', ' ', '\u0000', '\r\n', ':', '*', '\u200b', 'lock', '-', '7', '"'];
    const spoilers = ['{', '}', '{}', '\ud83d', '\udd12'];
    const length = this.#random.below(12);
    const text = Array.from({ length }, () => this.#random.pick(pieces)).join('');
    if (wanted === 'good') return this.#random.pick(nearNames(text + this.#serial()));
    if (this.#chance(0.2)) return `${this.#random.pick(['holdfast_', 'redisson_', 'x:holdfast_queue:{'])}${text}}`;
    return this.#chance(0.5)
      ? `${text}${this.#random.pick(spoilers)}${text}`
      : (text + this.#serial()).padEnd(1_025, 'x');
  }

  #owner(wanted: 'good' | 'bad'): unknown {
    if (this.#chance(0.5)) return this.#corpusValue('owner', wanted);
    const text = `o${this.#serial()}`;
    return wanted === 'good' ? text : text + this.#random.pick([' ', '\n', '\u0000', '\ud800', '\u2028']) + text;
  }

  #options(wanted: 'good' | 'bad', way: Way): unknown {
    const options: Record<string, unknown> = {};
    const keys = optionKeys.filter(
      (key) => (key !== 'waitMs' || way !== 'lock') && (key !== 'maxHoldMs' || options['leaseMs'] === undefined),
    );
    for (const key of keys) {
      if (key === 'maxHoldMs' && 'leaseMs' in options) continue;
      if (this.#chance(0.4)) options[key] = this.#time(key, wanted === 'bad' && this.#chance(0.7) ? 'bad' : 'good');
    }
    if (wanted === 'bad' && this.#chance(0.3))
      options[this.#random.pick(['lease', 'wait', 'ttl', '__proto', 'Signal'])] = 1;
    return options;
  }

  #time(kind: 'waitMs' | 'leaseMs' | 'maxHoldMs', wanted: 'good' | 'bad'): unknown {
    if (this.#chance(0.4)) return this.#corpusValue(kind, wanted);
    if (wanted === 'good') return 1_000 + this.#random.below(2 ** 31 - 1_000);
    return this.#random.pick([-1, 1, 0.5]) * (this.#random.next() + 2) * 2 ** this.#random.pick([1, 31, 40, 60]) + 0.25;
  }

  #corpusValue(kind: CorpusKind, wanted: 'good' | 'bad'): unknown {
    const key = `${kind} ${wanted}`;
    const pool = this.#pools.get(key) ?? valuesOf(kind, wanted);
    this.#pools.set(key, pool);
    // Not `pick`: undefined is a value here.
    return pool[this.#random.below(pool.length)];
  }

  #serial(): string {
    return this.#random.below(2 ** 31).toString(36);
  }

  #chance(share: number): boolean {
    return this.#random.next() < share;
  }
}
