// A copy of the repository in which code may be broken. The work tree is never touched.
import { cpSync, symlinkSync } from 'node:fs';
import { basename, join } from 'node:path';
import { root } from '../run.mjs';

/** Not copied: history, what is built, and the installed packages of the workspace, which are linked. */
const left = new Set(['.git', '.tmp', 'dist', 'coverage']);
const installed = join(root, 'node_modules');
const patches = join(root, 'mutants');
const copied = (path) =>
  path !== installed && path !== patches && !left.has(basename(path)) && !path.endsWith('.tsbuildinfo');

export function copyRepository(to) {
  cpSync(root, to, { recursive: true, verbatimSymlinks: true, filter: copied });
  symlinkSync(installed, join(to, 'node_modules'), 'junction');
}
