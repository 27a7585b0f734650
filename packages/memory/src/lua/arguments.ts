/** Arguments of commands, read as Redis reads them. */

import { ErrorReply, notAnInteger } from '../server/reply.js';

const SMALLEST = -(2n ** 63n);
const LARGEST = 2n ** 63n - 1n;

export function whole(text: string | undefined): number {
  if (text === undefined || !/^(?:0|-?[1-9]\d*)$/.test(text)) throw notAnInteger();
  const value = BigInt(text);
  if (value < SMALLEST || value > LARGEST) throw notAnInteger();
  return Number(value);
}

export function score(text: string | undefined): number {
  const infinite = /^([+-]?)inf(?:inity)?$/i.exec(text ?? '');
  if (infinite !== null) return infinite[1] === '-' ? -Infinity : Infinity;
  const value = Number(text);
  if (text === undefined || text.trim() !== text || text === '' || Number.isNaN(value)) {
    throw new ErrorReply('ERR value is not a valid float');
  }
  return value;
}

/** Options behind the arguments that are always there: each with its value, if it has one. */
export function options(
  words: readonly string[],
  known: Readonly<Record<string, 'alone' | 'with a value'>>,
): ReadonlyMap<string, string> {
  const given = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const name = (words[at] as string).toUpperCase();
    const kind = known[name];
    const value = kind === 'with a value' ? words[++at] : '';
    if (kind === undefined || value === undefined) throw new ErrorReply('ERR syntax error');
    given.set(name, value);
  }
  return given;
}
