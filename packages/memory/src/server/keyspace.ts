/**
 * The keys of one database, with their types and the times at which they end.
 *
 * A key whose time is over is not there for anyone who asks, and is removed by the one who does: nothing runs in the background.
 */

import { wrongType } from './reply.js';
import { SortedSet } from './sorted-set.js';

/** What a key holds: a text, a hash, or a sorted set. */
export type Value = string | Map<string, string> | SortedSet;

/** A key. `endsAt`: server time in milliseconds; infinite without TTL. */
export interface Entry {
  value: Value;
  endsAt: number;
}

/** See the module comment. */
export class Keyspace {
  readonly #entries = new Map<string, Entry>();
  /** Keys that were written since {@link takeChanges}; undefined: nobody wants to know. */
  #changed: Set<string> | undefined;
  /** Server time, in whole milliseconds. Set before each command: as in Redis, a script sees one time from its first step to its last. */
  nowMs = 0;

  find(key: string): Entry | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined || entry.endsAt >= this.nowMs) return entry;
    this.remove(key);
    return undefined;
  }

  text(key: string): string | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || typeof value === 'string') return value;
    throw wrongType();
  }

  hash(key: string): Map<string, string> | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || value instanceof Map) return value;
    throw wrongType();
  }

  sortedSet(key: string): SortedSet | undefined {
    const value = this.find(key)?.value;
    if (value === undefined || value instanceof SortedSet) return value;
    throw wrongType();
  }

  put(key: string, value: Value, endsAt = Number.POSITIVE_INFINITY): void {
    this.#entries.set(key, { value, endsAt });
    this.#changed?.add(key);
  }

  /** What the key holds was changed in place. One that holds nothing any more is gone. */
  written(key: string, left: number): void {
    if (left === 0) this.#entries.delete(key);
    this.#changed?.add(key);
  }

  /** Returns whether there was such a key. */
  expire(key: string, endsAt: number): boolean {
    const entry = this.find(key);
    if (entry === undefined) return false;
    entry.endsAt = endsAt;
    this.#changed?.add(key);
    return true;
  }

  /** Returns whether there was such a key. */
  remove(key: string): boolean {
    if (!this.#entries.delete(key)) return false;
    this.#changed?.add(key);
    return true;
  }

  clear(): void {
    if (this.#changed !== undefined) for (const key of this.#entries.keys()) this.#changed.add(key);
    this.#entries.clear();
  }

  /** Every key that is there. */
  keys(): string[] {
    return [...this.#entries.keys()].filter((key) => this.find(key) !== undefined);
  }

  /** From now on changes are remembered. */
  watch(): void {
    this.#changed ??= new Set();
  }

  /** What was changed since the last time: copies, undefined for keys that are gone. */
  takeChanges(): [key: string, entry: Entry | undefined][] {
    if (this.#changed === undefined || this.#changed.size === 0) return [];
    const changes = [...this.#changed].map((key): [string, Entry | undefined] => [key, copyOf(this.#entries.get(key))]);
    this.#changed.clear();
    return changes;
  }

  /** Takes over what another one has: a copy, or that the key is gone. */
  apply(key: string, entry: Entry | undefined): void {
    if (entry === undefined) this.#entries.delete(key);
    else this.#entries.set(key, copyOf(entry) as Entry);
    this.#changed?.add(key);
  }

  copy(): Keyspace {
    const copy = new Keyspace();
    for (const [key, entry] of this.#entries) copy.#entries.set(key, copyOf(entry) as Entry);
    return copy;
  }
}

function copyOf(entry: Entry | undefined): Entry | undefined {
  if (entry === undefined) return undefined;
  const { value, endsAt } = entry;
  if (typeof value === 'string') return { value, endsAt };
  return { value: value instanceof Map ? new Map(value) : value.copy(), endsAt };
}
