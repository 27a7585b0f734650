/** The globals of a script, but for `redis`, `KEYS` and `ARGV`. What is not here is not used, or is nothing that a script may rely on. */

import { ErrorReply } from '../server/reply.js';
import { textOf } from './bytes.js';
import { numberArgument, numberIn, numberText, textArgument } from './number.js';
import { strings } from './strings.js';
import { UnknownToLua, raised } from './errors.js';
import { LuaTable, type LuaValue, typeOf } from './value.js';

const tableArgument = (value: LuaValue, of: string): LuaTable => {
  if (value instanceof LuaTable) return value;
  throw raised(`bad argument #1 to '${of}' (table expected, got ${typeOf(value)})`);
};

const numbers = (of: string, args: readonly LuaValue[]): number[] =>
  (args.length === 0 ? [undefined] : args).map((value, index) => numberArgument(value, index + 1, of));

const math = LuaTable.from({
  abs: (value) => [Math.abs(numberArgument(value, 1, 'abs'))],
  floor: (value) => [Math.floor(numberArgument(value, 1, 'floor'))],
  max: (...args) => [Math.max(...numbers('max', args))],
  min: (...args) => [Math.min(...numbers('min', args))],
});

const table = LuaTable.from({
  concat: (list, separator, ...range) => {
    if (range.length > 0) throw new UnknownToLua('table.concat of a range');
    const texts = tableArgument(list, 'concat').unbroken.map((item, index) => {
      if (typeof item === 'string' || typeof item === 'number') return textArgument(item, 1, 'concat');
      throw raised(`invalid value (${typeOf(item)}) at index ${index + 1} in table for 'concat'`);
    });
    return [texts.join(separator === undefined ? '' : textArgument(separator, 2, 'concat'))];
  },
});

function toNumber(args: readonly LuaValue[]): LuaValue {
  if (args.length === 0) throw raised("bad argument #1 to 'tonumber' (value expected)");
  const [value, base] = args;
  if (base !== undefined && base !== 10) throw new UnknownToLua('tonumber with a base');
  return typeof value === 'string' ? numberIn(value) : typeof value === 'number' ? value : undefined;
}

function toText(value: LuaValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  if (typeof value === 'boolean' || value === undefined) return value === undefined ? 'nil' : `${value}`;
  throw new UnknownToLua(`tostring of a ${typeOf(value)}`);
}

function nextItem(list: LuaValue, before: LuaValue): readonly LuaValue[] {
  const at = (before as number) + 1;
  const value = (list as LuaTable).get(at);
  return value === undefined ? [undefined] : [at, value];
}

export const globals: Readonly<Record<string, LuaValue>> = {
  string: strings,
  math,
  table,
  error: (value, ...level) => {
    const refusal = value instanceof LuaTable ? value.get('err') : undefined;
    if (typeof refusal === 'string') throw new ErrorReply(textOf(refusal));
    // Such an error has no place in the script before its text.
    if (level.length > 0) throw new UnknownToLua('an error with a level');
    if (typeof value !== 'string' && typeof value !== 'number')
      throw new UnknownToLua(`an error of a ${typeOf(value)}`);
    throw raised(textOf(toText(value)));
  },
  ipairs: (list) => [nextItem, tableArgument(list, 'ipairs'), 0],
  tonumber: (...args) => [toNumber(args)],
  tostring: (value) => [toText(value)],
  type: (value) => [typeOf(value)],
  unpack: (list, first, last) => {
    const from = tableArgument(list, 'unpack');
    const begin = first === undefined ? 1 : Math.trunc(numberArgument(first, 2, 'unpack'));
    const end = last === undefined ? from.length : Math.trunc(numberArgument(last, 3, 'unpack'));
    const items: LuaValue[] = [];
    for (let at = begin; at <= end; at++) items.push(from.get(at));
    return items;
  },
};
