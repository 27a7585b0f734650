/** The values of Lua 5.1, as far as scripts in Redis have them: nil is `undefined`, a text has one character for each byte. */

import { raised, UnknownToLua } from './errors.js';

export type LuaValue = undefined | boolean | number | string | LuaTable | LuaFunction;

/** Gives all of its results, however many. */
export type LuaFunction = (...args: LuaValue[]) => readonly LuaValue[];

/** A table of Lua: items from 1 on, and whatever else is a key. */
export class LuaTable {
  readonly #items: LuaValue[] = [];
  /** Items behind a hole are among these. */
  readonly #others = new Map<LuaValue, LuaValue>();

  static of(items: Iterable<LuaValue>): LuaTable {
    const table = new LuaTable();
    let at = 0;
    for (const item of items) table.set(++at, item);
    return table;
  }

  /** With texts as keys. */
  static from(fields: Readonly<Record<string, LuaValue>>): LuaTable {
    const table = new LuaTable();
    for (const [key, value] of Object.entries(fields)) table.set(key, value);
    return table;
  }

  get(key: LuaValue): LuaValue {
    if (typeof key === 'number' && key >= 1 && key <= this.#items.length && Number.isInteger(key)) {
      return this.#items[key - 1];
    }
    return this.#others.get(key);
  }

  set(key: LuaValue, value: LuaValue): void {
    if (key === undefined) throw raised('table index is nil');
    if (typeof key !== 'number') this.#put(key, value);
    else if (Number.isNaN(key)) throw raised('table index is NaN');
    else if (key === this.#items.length + 1 && value !== undefined) this.#append(value);
    else if (key >= 1 && key <= this.#items.length && Number.isInteger(key)) this.#replace(key, value);
    else this.#put(key, value);
  }

  /** The first items, up to the first that is nil: what Redis reads of a table. */
  get items(): readonly LuaValue[] {
    return this.#items;
  }

  /** As many as `#` says. With holes that depends on how Lua has laid the table out, so that no script should ask. */
  get unbroken(): readonly LuaValue[] {
    for (const key of this.#others.keys()) {
      if (typeof key === 'number' && key >= 1) throw new UnknownToLua('the length of a table with holes');
    }
    return this.#items;
  }

  /** `#`. */
  get length(): number {
    return this.unbroken.length;
  }

  #append(value: LuaValue): void {
    this.#items.push(value);
    this.#others.delete(this.#items.length);
    if (this.#others.size === 0) return;
    for (let next = this.#items.length + 1; this.#others.has(next); next++) {
      this.#items.push(this.#others.get(next));
      this.#others.delete(next);
    }
  }

  #replace(key: number, value: LuaValue): void {
    if (value !== undefined) {
      this.#items[key - 1] = value;
      return;
    }
    const behind = this.#items.splice(key - 1).slice(1);
    for (const [at, item] of behind.entries()) this.#others.set(key + 1 + at, item);
  }

  #put(key: LuaValue, value: LuaValue): void {
    if (value === undefined) this.#others.delete(key);
    else this.#others.set(key, value);
  }
}

export function typeOf(value: LuaValue): string {
  switch (typeof value) {
    case 'undefined':
      return 'nil';
    case 'object':
      return 'table';
    default:
      return typeof value;
  }
}

/** All but nil and false. */
export const yes = (value: LuaValue): boolean => value !== undefined && value !== false;
