import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const root = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const filesIn = (folder: string) =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: 'utf8' }).map((file) => `${folder}/${file}`);

const page = read('docs/architecture.md');
const glossary = page.slice(page.indexOf('## Glossary'));
const rows = glossary
  .split('\n')
  .filter((line) => /^\| (?!word |-)/.test(line))
  .map((line) => line.split('|').map((cell) => cell.trim()))
  .map(([, word = '', , code = '']) => ({
    word,
    names: [...code.matchAll(/`([^`]+)`/g)].map(([, name]) => name ?? ''),
  }));

const sources = ['core', 'notify', 'watchdog', 'holdfast'].flatMap((name) => filesIn(`packages/${name}/src`));
const typescript = sources.filter((file) => file.endsWith('.ts') && !file.endsWith('.gen.ts'));
const engine = [
  'exclusive',
  'read-write',
  'latch',
  'election',
  'share',
  'waiting',
  'tenure',
  'scopes',
  'primitives',
].map((name) => `packages/holdfast/src/${name}/`);
const leaves = ['core', 'notify', 'watchdog'].map((name) => `packages/${name}/src/`);
const inEngine = (file: string) => engine.some((folder) => file.startsWith(folder));
const inLeaf = (file: string) => leaves.some((folder) => file.startsWith(folder));

const exported = (what: string, files: readonly string[]) =>
  files.flatMap((file) =>
    [...read(file).matchAll(new RegExp(`^export (?:abstract )?(?:${what}) (\\w+)`, 'gm'))].map(
      ([, name]) => name ?? '',
    ),
  );

describe('the glossary of docs/architecture.md', () => {
  it('names only what there is: each name is an exported class or type, or a file', () => {
    const known = new Set([
      ...exported('class|interface|type', typescript),
      ...sources.map((file) => file.split('/').at(-1)),
    ]);
    expect(rows.flatMap(({ names }) => names).filter((name) => !known.has(name))).toEqual([]);
  });

  it('has every class of the engine and of the leaves', () => {
    const named = new Set(rows.flatMap(({ names }) => names));
    const classes = exported(
      'class',
      typescript.filter((file) => inEngine(file) || inLeaf(file)),
    );
    expect(classes.length).toBeGreaterThan(30);
    expect(classes.filter((name) => !named.has(name))).toEqual([]);
  });

  it('has each word once, in alphabetical order, and something behind each', () => {
    const words = rows.map(({ word }) => word);
    expect(words.filter((word, index) => words.indexOf(word) !== index)).toEqual([]);
    expect(words).toEqual(words.toSorted((a, b) => a.localeCompare(b, 'en')));
    expect(rows.filter(({ names }) => names.length === 0)).toEqual([]);
  });
});

describe('the engine', () => {
  it('knows no primitive: of the commands it imports the type, and only primitives import their scripts', () => {
    const knowing = typescript
      .filter((file) => inEngine(file) && !file.endsWith('-operations.ts'))
      .flatMap((file) =>
        [...read(file).matchAll(/^import .*'@holdfast\/core(?:\/[a-z-]+)?'.*$/gm)].map(([line]) => `${file}: ${line}`),
      );
    // Where a key lies is no command, and neither is what an id tells.
    const harmless =
      /import (type \{ Command \}|\{ keySlot \}|\{ (?:type \w+Keys, )?\w+Keys \}|\{ clientIn, ownerIn \}) from '@holdfast\/core';$/;
    expect(knowing.filter((line) => !harmless.test(line))).toEqual([]);
  });

  it('has no file of more than 300 lines', () => {
    const long = typescript.filter(inEngine).filter((file) => read(file).split('\n').length > 301);
    expect(long).toEqual([]);
  });
});

it('the documents and models that comments in the sources name are in the repository', () => {
  const isThere = (file: string) => ['', 'docs/'].some((folder) => existsSync(new URL(folder + file, root)));
  const written = sources.filter((file) => /\.(ts|lua)$/.test(file));
  const missing = written.flatMap((source) =>
    [...read(source).matchAll(/[\w./-]+\.(?:md|pml)\b/g)]
      .map(([file]) => file)
      .filter((file) => !isThere(file))
      .map((file) => `${source}: ${file}`),
  );
  expect(missing).toEqual([]);
});

it('docs/adr/README.md lists every decision, by its number and under its own title', () => {
  const decisions = filesIn('docs/adr').filter((file) => /\/\d{4}-.*\.md$/.test(file));
  const titles = decisions.sort().map((file) => {
    const [, number, title] = /^# (\d+)\. (.+)$/m.exec(read(file)) ?? [];
    return `| [${number}](${file.split('/').at(-1)}) | ${title} |`;
  });
  const listed = read('docs/adr/README.md')
    .split('\n')
    .filter((line) => line.startsWith('| ['));
  expect(listed.map((line) => /^\| \[\d+\]\(.+?\) \| .+? \|/.exec(line)?.[0])).toEqual(titles);
});
