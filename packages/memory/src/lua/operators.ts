/** What the operators of Lua do, for the code that `translate.ts` writes. */

import { numberIn, numberText } from './number.js';
import { strings } from './strings.js';
import { raised } from './errors.js';
import { type LuaFunction, LuaTable, type LuaValue, typeOf, yes } from './value.js';

type Binary = (left: LuaValue, right: LuaValue) => LuaValue;

function operand(value: LuaValue): number {
  const number = typeof value === 'string' ? numberIn(value) : value;
  if (typeof number === 'number') return number;
  throw raised(`attempt to perform arithmetic on a ${typeOf(value)} value`);
}

/** Texts that are numbers are taken for them. */
function arithmetic(compute: (left: number, right: number) => number): Binary {
  return (left, right) =>
    typeof left === 'number' && typeof right === 'number'
      ? compute(left, right)
      : compute(operand(left), operand(right));
}

function comparison(numbers: (one: number, other: number) => boolean, texts: (one: string, other: string) => boolean) {
  return (one: LuaValue, other: LuaValue): boolean => {
    if (typeof one === 'number' && typeof other === 'number') return numbers(one, other);
    if (typeof one === 'string' && typeof other === 'string') return texts(one, other);
    const [left, right] = [typeOf(one), typeOf(other)];
    throw raised(`attempt to compare ${left === right ? `two ${left} values` : `${left} with ${right}`}`);
  };
}

function piece(value: LuaValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  throw raised(`attempt to concatenate a ${typeOf(value)} value`);
}

/** By the names that translated code calls them. */
export const operators = {
  yes,
  add: arithmetic((left, right) => left + right),
  sub: arithmetic((left, right) => left - right),
  mul: arithmetic((left, right) => left * right),
  div: arithmetic((left, right) => left / right),
  mod: arithmetic((left, right) => left - Math.floor(left / right) * right),
  pow: arithmetic((left, right) => left ** right),
  minus: (value: LuaValue): LuaValue => -operand(value),
  lt: comparison(
    (one, other) => one < other,
    (one, other) => one < other,
  ),
  le: comparison(
    (one, other) => one <= other,
    (one, other) => one <= other,
  ),
  gt: comparison(
    (one, other) => one > other,
    (one, other) => one > other,
  ),
  ge: comparison(
    (one, other) => one >= other,
    (one, other) => one >= other,
  ),
  concat: (left: LuaValue, right: LuaValue): LuaValue => piece(left) + piece(right),
  length: (value: LuaValue): LuaValue => {
    if (typeof value === 'string' || value instanceof LuaTable) return value.length;
    throw raised(`attempt to get length of a ${typeOf(value)} value`);
  },
  index: (value: LuaValue, key: LuaValue): LuaValue => {
    if (value instanceof LuaTable) return value.get(key);
    // A text has the functions of its library for fields: asked for any other, it has none, and that is no error.
    if (typeof value === 'string') return strings.get(key);
    throw raised(`attempt to index a ${typeOf(value)} value`);
  },
  assign: (target: LuaValue, key: LuaValue, value: LuaValue): void => {
    if (!(target instanceof LuaTable)) throw raised(`attempt to index a ${typeOf(target)} value`);
    target.set(key, value);
  },
  callee: (value: LuaValue): LuaFunction => {
    if (typeof value === 'function') return value;
    throw raised(`attempt to call a ${typeOf(value)} value`);
  },
  limit: (value: LuaValue, what: string): number => {
    const number = typeof value === 'string' ? numberIn(value) : value;
    if (typeof number === 'number') return number;
    throw raised(`'for' ${what} must be a number`);
  },
  table: (items: readonly LuaValue[], fields: readonly (readonly [LuaValue, LuaValue])[]): LuaValue => {
    const table = LuaTable.of(items);
    for (const [key, value] of fields) table.set(key, value);
    return table;
  },
};

/** By how they are written. Equality is that of JavaScript. */
export const binaryOperators: Readonly<Record<string, keyof typeof operators>> = {
  '+': 'add',
  '-': 'sub',
  '*': 'mul',
  '/': 'div',
  '%': 'mod',
  '^': 'pow',
  '..': 'concat',
  '<': 'lt',
  '<=': 'le',
  '>': 'gt',
  '>=': 'ge',
};
