// What users get: the tarball, as pnpm would publish it.
import { mkdirSync, readdirSync } from 'node:fs';
import { pnpm } from '../prepare.mjs';
import { root } from '../run.mjs';
import { shipped, targetsOf } from '../ship/documents.mjs';
import { checkManifest, checkModes } from './manifest.mjs';
import { command, tool } from './step.mjs';

const folder = `${root}/packages/holdfast`;
export const runPnpm = (args, options) => command('npx', ['-y', pnpm, ...args], options);

const code = ['index', 'testing', 'redlock']
  .flatMap((entry) => ['js', 'cjs', 'd.ts', 'd.cts'].map((extension) => `dist/${entry}.${extension}`))
  .concat('dist/cli.js');
const expected = ['LICENSE', 'THIRD-PARTY-LICENSES.txt', 'package.json', ...code, ...shipped];

/** Everything, tests too. What it makes of the sources is what the builds take their declarations from. One thread: more of them do the same work twice. */
export const checkTypes = () =>
  command(process.execPath, [`${root}/node_modules/typescript-native/bin/tsc`, '--build', '--singleThreaded']);

/** Builds the package that is published: ESM, CJS, and types for both. */
export async function build() {
  await runPnpm(['--reporter=append-only', '--loglevel=warn', 'run', 'build'], { cwd: folder });
}

/**
 * Packs what was built.
 *
 * @returns {Promise<string>} the tarball
 */
export async function pack(destination) {
  const tarball = await packFolder(folder, destination);
  await checkContents(tarball);
  return tarball;
}

/** @returns {Promise<string>} the tarball of the package whose folder this is. */
export async function packFolder(cwd, destination) {
  mkdirSync(destination, { recursive: true });
  await runPnpm(['pack', '--pack-destination', destination], { cwd, capture: 'stdout' });
  const [file] = readdirSync(destination).filter((name) => name.endsWith('.tgz'));
  return `${destination}/${file}`;
}

export async function filesIn(tarball) {
  const listed = await command('tar', ['-tzf', tarball], { capture: 'stdout' });
  return listed
    .split('\n')
    .filter(Boolean)
    .map((file) => file.replace(/^package\//, ''));
}

export const readFrom = (tarball, file) => command('tar', ['-xzOf', tarball, `package/${file}`], { capture: 'stdout' });

async function checkContents(tarball) {
  const files = await filesIn(tarball);
  const missing = expected.filter((file) => !files.includes(file));
  const extra = files.filter((file) => !expected.includes(file));
  if (missing.length > 0) throw new Error(`${tarball} lacks ${missing.join(', ')}`);
  if (extra.length > 0) throw new Error(`${tarball} brings ${extra.join(', ')}`);
  checkModes(tarball, await command('tar', ['-tvzf', tarball], { capture: 'stdout' }));
  const read = (file) => readFrom(tarball, file);
  checkManifest(JSON.parse(await read('package.json')));
  for (const file of code) {
    const text = await read(file);
    checkImports(file, text);
    checkPointers(file, text.match(/\bdocs\/[\w/-]+\.md\b/g) ?? []);
  }
  for (const file of shipped) checkPointers(file, targetsOf(file, await read(file)));
}

/** What a file of the package points at has to be there for those who have the package alone. */
function checkPointers(file, targets) {
  const missing = targets.filter((target) => !shipped.includes(target));
  if (missing.length > 0) throw new Error(`${file} points at ${missing.join(', ')}, not in the package`);
}

/** Whatever else it runs on is inside it: a file that asks for more would fail where users install it. `holdfast/testing`,
 * `holdfast/redlock` and the command line ask for `holdfast`. */
function checkImports(file, text) {
  const allowed = /^dist\/(?:testing|redlock|cli)\./.test(file) ? ['ioredis', 'holdfast'] : ['ioredis'];
  const strange = importsOf(text).filter((name) => !allowed.includes(name));
  if (strange.length > 0) throw new Error(`${file} imports ${[...new Set(strange)].join(', ')}`);
}

/** What code asks for beside Node's modules. */
export function importsOf(text) {
  const asked = [...text.matchAll(/(?:^(?:import|export)\b[^;]*?\bfrom |\b(?:import|require)\()['"]([^'"]+)['"]/gm)];
  return asked.map(([, name]) => name).filter((name) => !name.startsWith('node:'));
}

/** Do the entry points, formats and types of a tarball fit each other, for every kind of consumer? */
export async function checkTarball(tarball) {
  await tool('publint', ['run', '--strict', tarball]);
  await tool('attw', ['--no-definitely-typed', '--no-emoji', tarball]);
}
