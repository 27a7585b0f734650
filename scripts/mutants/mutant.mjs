// The patches of mutants/: `NN-name.patch`, a unified diff below one line of four fields, separated by ` | `:
//
//   rule that is broken | where the rule is written | jest project and test file | pattern of the tests' titles
//
// Where it is written is a file of the repository, from the top folder, and perhaps the place in it: `docs/semantics.md 2, minHoldMs`.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../run.mjs';

const folder = 'mutants';

/**
 * @typedef {object} Mutant
 * @property {string} number two or three digits
 * @property {string} name file name without `.patch`
 * @property {string} file path of the patch, from the top folder
 * @property {string} rule @property {string} source @property {string} project @property {string} test
 * @property {string} pattern regular expression over the full titles of the tests that must fail
 * @property {boolean} lua the generated scripts must be made anew
 */

/** What a text names as files are named. */
const namedFile = /[\w./-]+\.(?:md|pml|lua|m?ts)\b/g;

/** @throws Error when the rule is written nowhere that a reader could look. */
function checkSource(fileName, source) {
  const named = source.match(namedFile) ?? [];
  if (named.length === 0 || !source.startsWith(named[0]))
    throw new Error(`${fileName}: the second field begins with no file: ${source}`);
  const missing = named.find((file) => !existsSync(join(root, file)));
  if (missing !== undefined)
    throw new Error(`${fileName}: the second field names ${missing}, and there is no such file`);
}

/** @param {string} fileName @param {string} text of the patch @returns {Mutant} */
export function mutantOf(fileName, text) {
  const fields = text.slice(0, text.indexOf('\n')).split(' | ');
  const [rule, source, where = '', pattern] = fields;
  const [project, test] = where.split(' packages/');
  if (fields.length !== 4 || test === undefined) throw new Error(`${fileName}: the first line has not its four fields`);
  if (!existsSync(join(root, 'packages', test))) throw new Error(`${fileName}: there is no packages/${test}`);
  checkSource(fileName, source);
  return {
    number: fileName.slice(0, fileName.indexOf('-')),
    name: fileName.slice(0, -'.patch'.length),
    file: join(folder, fileName),
    rule,
    source,
    project,
    test: `packages/${test}`,
    pattern,
    lua: /^\+\+\+ .*\.lua$/m.test(text),
  };
}

/**
 * The names of patches, by number.
 *
 * @throws Error for any other name: what has it would never be tried.
 */
export function patchesAmong(names) {
  const misnamed = names.find((name) => !/^\d{2,4}-.+\.patch$/.test(name));
  if (misnamed !== undefined)
    throw new Error(`${folder}/${misnamed} is not called as a patch is: NNN-short-name.patch`);
  return names.toSorted((one, other) => Number.parseInt(one) - Number.parseInt(other));
}

/** All patches, by number. */
export const readMutants = () =>
  patchesAmong(readdirSync(join(root, folder))).map((fileName) =>
    mutantOf(fileName, readFileSync(join(root, folder, fileName), 'utf8')),
  );

/** `git apply` works without a repository, and takes no line that differs. */
function apply({ file }, cwd, options) {
  const { status, stderr } = spawnSync('git', ['apply', ...options, join(root, file)], { cwd, encoding: 'utf8' });
  return { ok: status === 0, stderr };
}

export const applies = (mutant, cwd) => apply(mutant, cwd, ['--check']).ok;

/** @throws Error when the code has changed below the patch. */
export function patch(mutant, cwd, direction = []) {
  const { ok, stderr } = apply(mutant, cwd, direction);
  if (!ok) throw new Error(`does not apply: ${stderr.trim().split('\n')[0]}`);
}
