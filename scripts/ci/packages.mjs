// What users get: the tarballs, as pnpm would publish them.
import { mkdirSync, readdirSync } from 'node:fs';
import { pnpm } from '../prepare.mjs';
import { root } from '../run.mjs';
import { checkManifest, checkModes } from './manifest.mjs';
import { command, tool } from './step.mjs';

const folders = ['core', 'notify', 'watchdog', 'holdfast'].map((name) => `${root}/packages/${name}`);
const runPnpm = (args, options) => command('npx', ['-y', pnpm, ...args], options);

const expected = [
  'LICENSE',
  'README.md',
  'package.json',
  'dist/index.js',
  'dist/index.cjs',
  'dist/index.d.ts',
  'dist/index.d.cts',
];

/** Builds all publishable packages: ESM, CJS, and types for both. */
export async function build() {
  await runPnpm(['--recursive', '--reporter=append-only', '--loglevel=warn', 'run', 'build']);
}

/**
 * Packs what was built.
 *
 * @returns {Promise<string[]>} the tarballs
 */
export async function pack(folder) {
  mkdirSync(folder, { recursive: true });
  for (const cwd of folders) {
    await runPnpm(['pack', '--pack-destination', folder], { cwd, capture: 'stdout' });
  }
  const tarballs = readdirSync(folder)
    .filter((file) => file.endsWith('.tgz'))
    .map((file) => `${folder}/${file}`);
  for (const tarball of tarballs) await checkContents(tarball);
  return tarballs;
}

async function checkContents(tarball) {
  const listed = await command('tar', ['-tzf', tarball], { capture: 'stdout' });
  const files = listed
    .split('\n')
    .filter(Boolean)
    .map((file) => file.replace(/^package\//, ''));
  const missing = expected.filter((file) => !files.includes(file));
  const extra = files.filter((file) => !expected.includes(file) && !/^dist\/index\.c?js\.map$/.test(file));
  if (missing.length > 0) throw new Error(`${tarball} lacks ${missing.join(', ')}`);
  if (extra.length > 0) throw new Error(`${tarball} brings ${extra.join(', ')}`);
  checkModes(tarball, await command('tar', ['-tvzf', tarball], { capture: 'stdout' }));
  checkManifest(JSON.parse(await command('tar', ['-xzOf', tarball, 'package/package.json'], { capture: 'stdout' })));
}

/** Do the entry points, formats and types of a tarball fit each other, for every kind of consumer? */
export async function checkTarball(tarball) {
  await tool('publint', ['run', '--strict', tarball]);
  await tool('attw', ['--no-definitely-typed', '--no-emoji', tarball]);
}
