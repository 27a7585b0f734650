import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
// @ts-expect-error plain JavaScript, like all of scripts/
import { planted } from '../../../scripts/simulate/planted.mjs';

interface Plant {
  readonly name: string;
  readonly file: string;
  readonly before: string;
  readonly rules: readonly string[];
}

const all = planted as readonly Plant[];
const textOf = (file: string): string => {
  const path = fileURLToPath(new URL(`../../../${file}`, import.meta.url));
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
};

describe('what `npm run simulate -- --planted` plants', () => {
  it.each(all)('stands once in its file, to be changed: $name', ({ file, before }) => {
    expect(textOf(file).split(before)).toHaveLength(2);
  });

  it('has names of its own', () => {
    expect(new Set(all.map(({ name }) => name)).size).toBe(all.length);
  });
});
