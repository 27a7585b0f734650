/** Arguments of commands, read as Redis reads them. */

import { isWhole } from '../server/whole-number.js';
import { ErrorReply, notAnInteger } from '../server/reply.js';
import { UnknownToLua } from './errors.js';
import { numberIn } from './number.js';

export function whole(text: string | undefined): number {
  if (text === undefined || !isWhole(text)) throw notAnInteger();
  const value = Number(text);
  // Redis counts in 64 bits, and JavaScript does not.
  if (!Number.isSafeInteger(value)) throw new UnknownToLua('a whole number beyond 2^53');
  return value;
}

export function score(text = '', refusal = 'value is not a valid float'): number {
  if (text.startsWith('(')) throw new UnknownToLua('a score that is left out itself');
  const value = /\s/.test(text) ? undefined : numberIn(text);
  if (value === undefined || Number.isNaN(value)) throw new ErrorReply(`ERR ${refusal}`);
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
    // Redis has more of them, and a refusal would be taken for what Redis says.
    if (kind === undefined) throw new UnknownToLua(`the option ${name}`);
    if (value === undefined) throw new ErrorReply('ERR syntax error');
    given.set(name, value);
  }
  return given;
}
