// node scripts/release/publish.mjs [option of npm publish …]
//
// Publishes what `npm run release` has packed, holdfast first: the others ask for it. What the registry has already is left out, so that a run that ended half-way
// can be repeated.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { needsShell, root } from '../run.mjs';
import { published } from './packages.mjs';

const npm = (args, stdio) => spawnSync('npm', args, { cwd: root, stdio, encoding: 'utf8', shell: needsShell });

/** @throws Error when the registry does not say whether it has it */
function isPublished({ name, version }) {
  const { status, stdout, stderr } = npm(['view', `${name}@${version}`, 'version', '--json'], 'pipe');
  // A package without that version: success, and nothing said.
  if (status === 0) return stdout.trim() !== '';
  if (/\bE404\b/.test(stdout + stderr)) return false;
  throw new Error(`is ${name} ${version} published? ${stderr}`);
}

/** @throws Error unless there is one of this version */
function tarballOf({ name, version }) {
  const folder = join(root, '.tmp/release', name);
  const files = existsSync(folder) ? readdirSync(folder).filter((file) => file.endsWith(`-${version}.tgz`)) : [];
  if (files.length !== 1)
    throw new Error(`${folder} has ${files.length} tarballs of ${version}: npm run release makes one`);
  return join(folder, files[0]);
}

// All are looked for before the first goes out.
const releases = published.map(({ manifest }) => ({ manifest, tarball: tarballOf(manifest) }));
for (const { manifest, tarball } of releases) {
  const { name, version } = manifest;
  if (isPublished(manifest)) {
    process.stdout.write(`${name} ${version} is published already\n`);
    continue;
  }
  const { status } = npm(['publish', tarball, '--access', 'public', ...process.argv.slice(2)], 'inherit');
  if (status !== 0) throw new Error(`${name} ${version} was not published; what comes after it neither`);
}
