// npm run runtimes                     what must hold of a lock, by the packed package in Node, Bun and Deno on a real Redis: a line for each
// npm run runtimes -- --tarball FILE   of this package
//
// Bun and Deno come from npm, into node_modules/.cache. Exit code 69 when they cannot be had.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build, pack } from './ci/packages.mjs';
import { prepare } from './prepare.mjs';
import { checkRuntimes } from './runtimes/check.mjs';
import { findRuntimes, RuntimesMissing } from './runtimes/programs.mjs';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-runtimes-'));
process.once('exit', () => rmSync(folder, { recursive: true, force: true }));

async function freshTarball() {
  await build();
  return pack(join(folder, 'tarball'));
}

try {
  const { values } = parseArgs({ options: { tarball: { type: 'string' } } });
  await prepare();
  const runtimes = findRuntimes();
  const tarball = values.tarball ?? (await freshTarball());
  await checkRuntimes({ runtimes, tarball, folder: join(folder, 'project') });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = error instanceof RuntimesMissing ? 69 : 1;
}
