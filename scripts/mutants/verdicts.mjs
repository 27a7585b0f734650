// What became of each mutant, kept in `.tmp/mutants.json` as soon as it is known, so that a run that was broken off can be continued. A
// verdict is forgotten when anything has changed that it can depend on: the patch, the code, or the test that the patch names.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from '../run.mjs';

const file = join(root, '.tmp/mutants.json');

/** As they are in the work tree, committed or not. */
function digest(paths) {
  const hash = createHash('sha1');
  for (const path of paths) hash.update(`${path}\0`).update(readFileSync(join(root, path)));
  return hash.digest('hex');
}

/** All that runs with every test. */
function commonFiles() {
  const args = ['ls-files', '-z', '--', 'packages', 'scripts/mutants', 'jest.config.ts', 'pnpm-lock.yaml'];
  const listed = execFileSync('git', args, { cwd: root, encoding: 'utf8' }).split('\0');
  return listed.filter((path) => path !== '' && !path.endsWith('.test.ts') && !path.endsWith('.md')).sort();
}

/** What earlier runs have found out. */
function kept() {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

export class Verdicts {
  #common = digest(commonFiles());
  #kept = kept();
  /** What the verdicts of this run are about: somebody may go on writing while it lasts. */
  #begun;

  constructor(mutants) {
    this.#begun = new Map(mutants.map((mutant) => [mutant.name, this.#stateFor(mutant)]));
  }

  forget(mutants) {
    for (const { name } of mutants) delete this.#kept[name];
  }

  /** Undefined when it is not known, or not any more. */
  of(mutant) {
    const { state, verdict } = this.#kept[mutant.name] ?? {};
    return state === this.#stateFor(mutant) ? verdict : undefined;
  }

  note(mutant, verdict) {
    this.#kept[mutant.name] = { state: this.#begun.get(mutant.name), verdict };
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `${JSON.stringify(this.#kept, undefined, 2)}\n`);
  }

  #stateFor({ file: patch, test }) {
    return `${this.#common} ${digest([patch, test])}`;
  }
}
