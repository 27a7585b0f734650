import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';

const folder = new URL('../../../../packages/holdfast/src/', import.meta.url);
/** All of the code in one text. */
const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.ts'))
  .map((path) => readFileSync(new URL(path, folder), 'utf8'))
  .join('\n');

const read = (path: string) => readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');

/** The quoted members of a union, or the keys of an interface, as they stand in the source. */
function namesIn(file: string, declaration: string, name: RegExp): string[] {
  const source = read(`packages/holdfast/src/${file}`);
  const from = source.indexOf(declaration);
  const text = source.slice(from, source.indexOf('\n\n', from));
  return [...text.matchAll(name)].map(([, found]) => found ?? '');
}

const codes = namesIn('lock-error.ts', 'export type LockErrorCode', /'(\w+)'/g);
const reasons = namesIn('errors.ts', 'export type LockLostReason', /'([a-z-]+)'/g);
const events = namesIn('reports/events.ts', 'export interface LockClientEvents', /^ {2}'?([a-z-]+)'?: \[/gm);

describe('docs/troubleshooting.md', () => {
  const lines = read('docs/troubleshooting.md').split('\n');

  it.each([...codes, ...events])('has a section on %s', (name) => {
    expect(lines.filter((line) => line === `### ${name}`)).toHaveLength(1);
  });

  it.each(codes)('has %s in its table of codes', (code) => {
    const link = `| [\`${code}\`](#${code.toLowerCase()}) |`;
    expect(lines.filter((line) => line.startsWith(link))).toHaveLength(1);
  });

  it.each(reasons)('says what to do about a loss with reason %s', (reason) => {
    expect(lines.filter((line) => line.startsWith(`| \`${reason}\` |`))).toHaveLength(1);
  });

  it.each(events)('and the runbook says what to look at and what to do about %s', (name) => {
    const [section = ''] = read('docs/runbook.md')
      .split(/^## /m)
      .filter((part) => part.startsWith(`${name}\n`));
    for (const part of ['Means:', 'Look at:', 'Do:']) expect(section).toContain(`**${part}**`);
    expect(read('docs/runbook.md')).toContain(`[\`${name}\`](#${name})`);
  });

  it('was compared with every code, reason and event there is', () => {
    expect([codes.length, reasons.length, events.length]).toEqual([14, 9, 9]);
  });

  it('quotes messages as they are in the code', () => {
    const quoted = [...lines.join('\n').matchAll(/\*\*"(.+?)"\*\*/g)].map(([, words]) => words ?? '');
    expect(quoted.length).toBeGreaterThanOrEqual(4);
    // An ellipsis stands for what differs each time.
    for (const words of quoted) for (const part of words.split('…')) expect(sources).toContain(part);
  });

  it('has an entry for the code of every process warning', () => {
    const warnings = [...sources.matchAll(/(?:code: |#warnOnce\()'(HOLDFAST_\w+)'/g)].map(([, code]) => code);
    expect(warnings.length).toBeGreaterThanOrEqual(4);
    for (const code of warnings) {
      expect(lines.filter((line) => line.startsWith(`- **\`${code}\`**`))).toHaveLength(1);
    }
  });

  it('links to headings and files that exist', () => {
    const headings = lines.filter((line) => line.startsWith('#')).map((line) => `#${line.replace(/^#+ /, '')}`);
    const anchors = headings.map((heading) => heading.toLowerCase().replaceAll(' ', '-'));
    for (const [, link = ''] of lines.join('\n').matchAll(/\]\(([^)]+)\)/g)) {
      if (link.startsWith('#')) expect(anchors).toContain(link);
      else expect(read(`docs/${link}`)).not.toBe('');
    }
  });
});
