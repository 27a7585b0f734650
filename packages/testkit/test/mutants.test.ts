import { describe, expect, it } from '@jest/globals';
// @ts-expect-error plain JavaScript, like all of scripts/
import { mutantOf, patchesAmong } from '../../../scripts/mutants/mutant.mjs';

const where = 'core packages/core/test/renew.test.ts';
const withSource = (source: string): string => `a rule | ${source} | ${where} | a title\n\n--- a/x\n+++ b/x.lua\n`;
const read = (source: string): unknown => mutantOf('007-name.patch', withSource(source));

describe('a planted bug', () => {
  it('has its number, what it breaks, and the tests that must fail from its name and its first line', () => {
    expect(read('docs/semantics.md 2, minHoldMs; spec/rest.pml')).toEqual({
      number: '007',
      name: '007-name',
      file: 'mutants/007-name.patch',
      rule: 'a rule',
      source: 'docs/semantics.md 2, minHoldMs; spec/rest.pml',
      project: 'core',
      test: 'packages/core/test/renew.test.ts',
      pattern: 'a title',
      lua: true,
    });
  });

  it.each(['semantics.md 2', 'docs/protocol.md 4', 'docs/semantics.md 2; spec/no.pml'])(
    'breaks a rule that is written in a file of the repository, or is refused: %s',
    (source) => {
      expect(() => read(source)).toThrow('there is no such file');
    },
  );

  it.each(['ADR 54', 'design: one place', 'TSDoc of docs/semantics.md'])(
    'names the file of its rule first, or is refused: %s',
    (source) => {
      expect(() => read(source)).toThrow('the second field begins with no file');
    },
  );

  it('names a test file that there is, or is refused', () => {
    const text = withSource('docs/semantics.md').replace('renew.test', 'nothing.test');
    expect(() => mutantOf('007-name.patch', text)).toThrow('there is no packages/core/test/nothing.test.ts');
  });
});

describe('the folder of planted bugs', () => {
  it('is read by number', () => {
    expect(patchesAmong(['1020-b.patch', '09-a.patch', '93-c.patch'])).toEqual([
      '09-a.patch',
      '93-c.patch',
      '1020-b.patch',
    ]);
  });

  it.each(['93_name.patch', '12345-name.patch', '93-name.diff', '93-name.patch~', 'name.patch', 'README.md'])(
    'has nothing in it that would never be tried: %s is refused',
    (name) => {
      expect(() => patchesAmong(['09-a.patch', name])).toThrow(`mutants/${name} is not called as a patch is`);
    },
  );
});
