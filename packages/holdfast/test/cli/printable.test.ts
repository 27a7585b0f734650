/** How names are shown that hold what cannot be seen. */
import { describe, expect, it } from '@jest/globals';
import { harmless, printable } from '../../src/cli/table.js';

describe('a name in a terminal', () => {
  it.each([
    ['\u200b', String.raw`\u200b`],
    ['\u00ad', String.raw`\u00ad`],
    ['\ufeff', String.raw`\ufeff`],
    ['\u2060', String.raw`\u2060`],
    ['\u3164', String.raw`\u3164`],
    ['\u00a0', String.raw`\u00a0`],
    ['\u2028', String.raw`\u2028`],
    ['\u202e', String.raw`\u202e`],
    ['\u{e0041}', String.raw`\udb40\udc41`],
    ['\n', String.raw`\n`],
  ])('shows what is not seen by its number (%j)', (character, shown) => {
    expect(printable(`order${character}:1`)).toBe(`order${shown}:1`);
    expect(harmless(`order${character}:1`)).toBe(`order${shown}:1`);
  });

  it('leaves the rest as it is', () => {
    expect(printable('Büro 7: 注文 🔒 é')).toBe('Büro 7: 注文 🔒 é');
  });
});
