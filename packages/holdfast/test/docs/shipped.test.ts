/** The documents that come with the package, as `scripts/ship.mjs` writes them for readers who have not got the repository. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../../../', import.meta.url);
const documents: {
  shipped: readonly string[];
  relink: (file: string, text: string, base?: string) => string;
} = await import(new URL('scripts/ship/documents.mjs', root).href);
const { shipped, relink } = documents;

const read = (file: string) => readFileSync(new URL(file, root), 'utf8');
const textOf = (line: string) => line.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1');
const elsewhere = (line: string) => [...line.matchAll(/\]\((?!https?:|#)[^)\s#]+\.md(?:#[^)\s]*)?\)/g)].length;

describe('a document of the package', () => {
  it.each([
    [
      'in a sentence',
      'Seen in runs; [what each costs](docs/x.md#all).',
      'Seen in runs; what each costs (in the repository).',
    ],
    ['in parentheses', 'It waits ([why](docs/x.md)).', 'It waits (why, in the repository).'],
    ['to a test', 'It waits ([a test](a/x.test.ts)).', 'It waits (a test).'],
  ])('says where it is what a link leads to that is not in the package: %s', (_where, text, shown) => {
    expect(relink('README.md', text)).toBe(shown);
  });

  it.each(shipped.filter((file) => file.endsWith('.md')))('loses no link without saying so: %s', (file) => {
    const before = read(file).split('\n');
    const after = relink(file, read(file)).split('\n');
    const silent = before.filter((line, index) => {
      const left = after[index] ?? '';
      return elsewhere(line) > elsewhere(left) && textOf(line) === textOf(left);
    });
    expect(silent).toEqual([]);
  });

  it('has at hand all that the README points at before its list of more', () => {
    const [body = '', more = ''] = read('README.md').split(/^## More$/m);
    expect(relink('README.md', body)).not.toContain('in the repository)');
    expect(relink('README.md', more)).toContain('Architecture (in the repository)');
  });
});
