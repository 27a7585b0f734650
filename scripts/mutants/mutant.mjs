// The patches of mutants/: `NN-name.patch`, a unified diff below one line of four fields, separated by ` | `:
//
//   rule that is broken | where the rule is written | jest project and test file | pattern of the tests' titles
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

/** @returns {Mutant} */
function readMutant(fileName) {
  const file = join(folder, fileName);
  const text = readFileSync(join(root, file), 'utf8');
  const fields = text.slice(0, text.indexOf('\n')).split(' | ');
  const [rule, source, where = '', pattern] = fields;
  const [project, test] = where.split(' packages/');
  if (fields.length !== 4 || test === undefined) throw new Error(`${fileName}: the first line has not its four fields`);
  if (!existsSync(join(root, 'packages', test))) throw new Error(`${fileName}: there is no packages/${test}`);
  return {
    number: fileName.slice(0, fileName.indexOf('-')),
    name: fileName.slice(0, -'.patch'.length),
    file,
    rule,
    source,
    project,
    test: `packages/${test}`,
    pattern,
    lua: /^\+\+\+ .*\.lua$/m.test(text),
  };
}

/** All patches, by number. */
export function readMutants() {
  return readdirSync(join(root, folder))
    .filter((name) => /^\d{2,3}-.*\.patch$/.test(name))
    .sort((one, other) => Number.parseInt(one) - Number.parseInt(other))
    .map(readMutant);
}

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
