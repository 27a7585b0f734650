import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');

const page = read('docs/safety.md');
/** One line for each cell or sentence: a title belongs to the file that is named after it. */
const pieces = page.replaceAll(/\n(?![|#\n])/g, ' ').split(/[;|\n]|\. (?=[A-Z])/);

/** What is said to be tested: titles in quotes, and the file behind them. */
const cited = pieces.flatMap((piece) => {
  const parts = piece.split(/` ?/).map((part) => part.trim());
  let titles: string[] = [];
  const found: { title: string; file: string }[] = [];
  for (const part of parts) {
    if (/^(packages|scripts)\/\S+\.ts$/.test(part)) {
      found.push(...titles.map((title) => ({ title, file: part })));
      titles = [];
    } else titles.push(...[...part.matchAll(/"([^"]+)"/g)].map(([, title]) => title ?? ''));
  }
  return found;
});

const inCode = [...page.matchAll(/`([^`\n]+)`/g)].map(([, text]) => text ?? '');
const files = [...new Set(inCode.filter((text) => /^[\w.-]+\/[\w./-]+$/.test(text)))];
const scripts = [...new Set(inCode.flatMap((text) => /^npm run ([\w-]+)/.exec(text)?.[1] ?? []))];
const links = [...page.matchAll(/\]\(([^)#]+)\)/g)].map(([, target]) => target ?? '');

/** Rows of the table of claims, cell by cell. */
const claims = page
  .split('\n')
  .filter((line) => /^\| \d+ \|/.test(line))
  .map((line) => line.split(' | '));
const namedBehind = (what: RegExp) => [...page.matchAll(what)].map(([, names]) => names ?? '');
const mutants = [...claims.map((cells) => cells.at(-1) ?? ''), ...namedBehind(/mutants? ([\d, and]+)/g)].flatMap(
  (text) => text.match(/\b\d{2,3}\b/g) ?? [],
);
const variants = [
  ...claims.map((cells) => cells[2] ?? ''),
  ...namedBehind(/(?:model|must fail) ((?:`[\w-]+`(?:,| and)? ?)+)/g),
].flatMap((text) => [...text.matchAll(/`([\w-]+)`/g)].map(([, name]) => name ?? ''));

const models = readdirSync(new URL('spec/variants/', root))
  .map((file) => read(`spec/variants/${file}`))
  .join('\n');

describe('docs/safety.md', () => {
  it.each(cited)('names a test that there is: $title', ({ title, file }) => {
    const source = read(file);
    const quoted = ["'", '"', '`'].map((quote) => `${quote}${title}${quote}`);
    expect(quoted.some((text) => source.includes(text))).toBe(true);
  });

  it('has no title whose file it does not name', () => {
    const quotedOnPage = pieces.flatMap((piece) => [...piece.matchAll(/"([^"]+)"/g)]).length;
    // One more is an example of what was forged.
    expect(quotedOnPage).toBe(cited.length + 1);
  });

  it.each(files)('names a file that there is: %s', (file) => {
    expect(existsSync(new URL(file, root))).toBe(true);
  });

  it.each([...new Set(links)])('leads somewhere: %s', (target) => {
    expect(existsSync(new URL(target, new URL('docs/', root)))).toBe(true);
  });

  it.each([...new Set(mutants)])('names a mutant that there is: %s', (number) => {
    expect(readdirSync(new URL('mutants/', root)).filter((file) => file.startsWith(`${number}-`))).toHaveLength(1);
  });

  it.each([...new Set(variants)])('names a variant that there is: %s', (name) => {
    expect(models).toContain(`name: '${name}'`);
  });

  it.each(scripts)('names a command that there is: npm run %s', (name) => {
    const { scripts: known } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    expect(known).toHaveProperty([name]);
  });

  it('has a row for each of the claims, and much to show', () => {
    expect(claims.map(([number]) => Number(number?.replaceAll('|', '')))).toEqual(
      Array.from({ length: 21 }, (_, index) => index + 1),
    );
    expect(cited.length).toBeGreaterThan(50);
    expect(new Set(mutants).size).toBeGreaterThan(40);
    expect(new Set(variants).size).toBeGreaterThan(25);
  });
});
