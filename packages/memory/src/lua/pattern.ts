/** Patterns of Lua as regular expressions: both go back one character at a time, and take what they can get first. */

import { UnknownToLua } from './errors.js';

const classes: Readonly<Record<string, string>> = {
  a: 'A-Za-z',
  c: '\\0-\\x1F\\x7F',
  d: '0-9',
  l: 'a-z',
  p: '!-\\/:-@\\[-`{-~',
  s: ' \\t-\\r',
  u: 'A-Z',
  w: '0-9A-Za-z',
  x: '0-9A-Fa-f',
};

const literally = (character: string): string => character.replace(/[\\^$.*+?()[\]{}|/-]/, '\\$&');

/** A class like `%d`, or a character that is taken as it is, as `%-`: what may stand between brackets. */
function escaped(letter: string): string {
  const own = classes[letter.toLowerCase()];
  if (own === undefined || !/[A-Za-z]/.test(letter)) {
    if (/[A-Za-z0-9]/.test(letter) || letter === '') throw new UnknownToLua(`the pattern %${letter}`);
    return literally(letter);
  }
  if (letter !== letter.toLowerCase()) throw new UnknownToLua(`the pattern %${letter} in a set`);
  return own;
}

function single(letter: string): string {
  const lower = letter.toLowerCase();
  return letter !== lower && lower in classes ? `[^${classes[lower]}]` : `[${escaped(letter)}]`;
}

/** From the bracket on; returns the set and the place behind it. */
function setAt(pattern: string, from: number): [text: string, next: number] {
  let at = from + 1;
  let text = '[';
  if (pattern[at] === '^') {
    text += '^';
    at++;
  }
  // The first bracket is a character of the set.
  for (let first = true; first || pattern[at] !== ']'; first = false) {
    const character = pattern[at++];
    if (character === undefined) throw new UnknownToLua(`the pattern ${pattern}: a set without an end`);
    if (character === '%') text += escaped(pattern[at++] ?? '');
    else if (pattern[at] === '-' && pattern[at + 1] !== ']' && pattern[at + 1] !== undefined) {
      text += `${literally(character)}-${literally(pattern[at + 1] as string)}`;
      at += 2;
    } else text += literally(character);
  }
  return [`${text}]`, at + 1];
}

function translate(pattern: string): RegExp {
  const anchored = pattern.startsWith('^');
  let text = '';
  let at = anchored ? 1 : 0;
  while (at < pattern.length) {
    const character = pattern[at] as string;
    if (character === '(' || character === ')') {
      if (pattern.startsWith('()', at)) throw new UnknownToLua(`the pattern ${pattern}: places`);
      text += character;
      at++;
      continue;
    }
    if (character === '$' && at === pattern.length - 1) {
      text += '$';
      break;
    }
    let item: string;
    if (character === '%') {
      const letter = pattern[at + 1] ?? '';
      if (/[bf\d]/.test(letter)) throw new UnknownToLua(`the pattern ${pattern}`);
      item = single(letter);
      at += 2;
    } else if (character === '[') [item, at] = setAt(pattern, at);
    else {
      item = character === '.' ? '[^]' : literally(character);
      at++;
    }
    const many = { '*': '*', '+': '+', '?': '?', '-': '*?' }[pattern[at] ?? ''];
    if (many !== undefined) at++;
    text += item + (many ?? '');
  }
  try {
    return new RegExp(text, anchored ? 'y' : 'g');
  } catch {
    // Lua says what is wrong when it comes to it, and not before: a text may end earlier.
    throw new UnknownToLua(`the pattern ${pattern}`);
  }
}

const known = new Map<string, RegExp>();

/** Where `pattern` is found in `text` from place `from` on, counted from 0; undefined when nowhere. */
export function find(text: string, pattern: string, from: number): RegExpExecArray | undefined {
  let expression = known.get(pattern);
  if (expression === undefined) known.set(pattern, (expression = translate(pattern)));
  expression.lastIndex = from;
  return expression.exec(text) ?? undefined;
}
