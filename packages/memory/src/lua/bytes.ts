/**
 * Texts of Lua are bytes: a length, a place in a text and a pattern count those. In here each is a string with one character for each byte; the rest
 * of the server has texts as JavaScript has them.
 */

const beyondAscii = /[^\0-\u007F]/;

export function bytesOf(text: string): string {
  return beyondAscii.test(text) ? Buffer.from(text, 'utf8').toString('latin1') : text;
}

export function textOf(bytes: string): string {
  return beyondAscii.test(bytes) ? Buffer.from(bytes, 'latin1').toString('utf8') : bytes;
}
