import {
  electionScripts,
  fencedScripts,
  guardScripts,
  latchScripts,
  permitsScripts,
  readWriteScripts,
  scripts,
  shareScripts,
} from '@holdfast/core';
import { expect, it } from '@jest/globals';
import { usedInScripts } from '../src/faults/grants-missing.js';

const families = [
  ...[scripts, fencedScripts, readWriteScripts, permitsScripts],
  ...[guardScripts, latchScripts, electionScripts, shareScripts],
];
const sources = families.flatMap((family) => Object.values(family).map(({ source }) => source));

const isUsed = (name: string) => {
  const calls = new RegExp(`redis\\.p?call\\(\\s*['"]${name}['"]`, 'i');
  return sources.some((source) => calls.test(source));
};

it('each right that is taken away is one that a script of ours needs', () => {
  expect(usedInScripts.filter((name) => !isUsed(name))).toEqual([]);
});
