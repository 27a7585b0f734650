import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { redissonCases } from './redisson-cases.js';

const page = readFileSync(new URL('../../../../docs/redisson-tests.md', import.meta.url), 'utf8');

/** What the page says of one class: the cases of each row, and what is said of them. */
function rowsOf(section: string): { cases: string[]; ours: string }[] {
  const rows = section.split('\n').filter((line) => line.startsWith('| `'));
  return rows.map((row) => {
    const [cases = '', ours = ''] = row.split(' | ');
    return { cases: [...cases.matchAll(/`(\w+)`/g)].map(([, name]) => name ?? ''), ours };
  });
}

const sections = page.split('\n## ').slice(1);
const told = new Map(sections.map((section) => [section.slice(0, section.indexOf('\n')), rowsOf(section)]));
const cited = [...new Set([...page.matchAll(/"[^"\n]+" in `[^`\n]+`/g)].map(([text]) => text))];

describe('docs/redisson-tests.md', () => {
  it("has each case of Redisson's tests once, and no other", () => {
    const cases = [...told].map(([name, rows]) => [name, rows.flatMap((row) => row.cases).toSorted()]);
    const known = Object.entries(redissonCases).map(([name, names]) => [name, names.toSorted()]);
    expect(cases).toEqual(known);
  });

  it('says of each row which test of ours it is, or why there is none', () => {
    for (const { cases, ours } of [...told.values()].flat()) {
      expect({ cases, isAnswered: /^(?:"[^"]+" in `[^`]+`|none: \S)/.test(ours) }).toEqual({ cases, isAnswered: true });
    }
  });

  it.each(cited)('names a test that there is: %s', (text) => {
    const [, title = '', file = ''] = /^"(.+)" in `(.+)`$/.exec(text) ?? [];
    const source = readFileSync(new URL(`../${file}`, import.meta.url), 'utf8');
    expect(["'", '"', '`'].some((quote) => source.includes(`${quote}${title}${quote}`))).toBe(true);
  });

  it('counts right', () => {
    const rows = [...told.values()].flat();
    const all = rows.flatMap(({ cases }) => cases).length;
    const none = rows.filter(({ ours }) => ours.startsWith('none: ')).flatMap(({ cases }) => cases).length;
    expect(page).toContain(`${all} cases, ${all - none} of them with a test of ours.`);
  });
});
