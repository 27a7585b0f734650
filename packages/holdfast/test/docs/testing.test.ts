/** The examples of docs/testing.md that need a test runner are files of the projects that load the package (`scripts/ci/consumer`). */
import { readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const root = new URL('../../../../', import.meta.url);
const read = (path: string) => readFileSync(new URL(path, root), 'utf8');
const shown = [...read('docs/testing.md').matchAll(/^```(?:js|tsx)\n(.*?)^```$/gms)].map(([, code]) => code);
const consumer = 'scripts/ci/consumer';

it.each([
  `${consumer}/jest/testing.test.js`,
  `${consumer}/vitest/testing.test.mjs`,
  `${consumer}/node-test/testing.test.mjs`,
  `${consumer}/nest/src/testing.spec.ts`,
])('docs/testing.md shows what is run: %s', (file) => {
  expect(shown).toContain(read(file));
});

it('and nothing else', () => {
  expect(shown).toHaveLength(4);
});
