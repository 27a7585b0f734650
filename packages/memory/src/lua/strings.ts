/** The `string` library of Lua, as far as the scripts use it. */

import { format, numberArgument, textArgument } from './number.js';
import { find } from './pattern.js';
import { UnknownToLua } from './errors.js';
import { LuaTable, type LuaValue, yes } from './value.js';

/** Places count from 1, and from the end when they are negative. */
const placeOf = (place: number, length: number): number => (place < 0 ? Math.max(length + place + 1, 0) : place);

/** Where a search begins, counted from 0. */
function startOf(init: LuaValue, length: number, of: string): number {
  const place = init === undefined ? 1 : Math.trunc(numberArgument(init, 3, of));
  return Math.min(Math.max(placeOf(place, length) - 1, 0), length);
}

/** Without captures the whole of it is one. */
const captured = ([whole, ...captures]: RegExpExecArray): LuaValue[] => (captures.length === 0 ? [whole] : captures);

export const strings = LuaTable.from({
  find: (subject, wanted, init, plain) => {
    const text = textArgument(subject, 1, 'find');
    const pattern = textArgument(wanted, 2, 'find');
    const from = startOf(init, text.length, 'find');
    if (yes(plain)) {
      const at = text.indexOf(pattern, from);
      return at < 0 ? [undefined] : [at + 1, at + pattern.length];
    }
    const found = find(text, pattern, from);
    if (found === undefined) return [undefined];
    const [whole, ...captures] = found;
    return [found.index + 1, found.index + whole.length, ...captures];
  },
  match: (subject, wanted, init) => {
    const text = textArgument(subject, 1, 'match');
    const from = startOf(init, text.length, 'match');
    const found = find(text, textArgument(wanted, 2, 'match'), from);
    return found === undefined ? [undefined] : captured(found);
  },
  gmatch: (subject, wanted) => {
    const text = textArgument(subject, 1, 'gmatch');
    const pattern = textArgument(wanted, 2, 'gmatch');
    if (pattern.startsWith('^')) throw new UnknownToLua('string.gmatch with ^');
    let from = 0;
    const next = () => {
      const found = from > text.length ? undefined : find(text, pattern, from);
      if (found === undefined) return [undefined];
      from = found.index + Math.max(found[0].length, 1);
      return captured(found);
    };
    return [next];
  },
  format: (template, ...args) => [format(textArgument(template, 1, 'format'), args)],
  sub: (subject, first, last) => {
    const text = textArgument(subject, 1, 'sub');
    const from = placeOf(Math.trunc(numberArgument(first, 2, 'sub')), text.length);
    const to = placeOf(last === undefined ? -1 : Math.trunc(numberArgument(last, 3, 'sub')), text.length);
    return [text.slice(Math.max(from, 1) - 1, to)];
  },
});
