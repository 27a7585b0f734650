// npm run release -- v0.2.0      builds, packs and checks what is to be published under a tag; prints where the tarball is
//
// Publishes nothing: .github/workflows/release.yml does, as the registry's trusted publisher, with the tarball that was checked here.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root } from './run.mjs';

const [tag] = process.argv.slice(2);
const { version, repository } = JSON.parse(readFileSync(join(root, 'packages/holdfast/package.json'), 'utf8'));
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');

const problems = [
  tag !== `v${version}` && `the tag is ${tag ?? 'not given'}, the version of packages/holdfast is ${version}`,
  !changelog.includes(`\n## [${version}] - 20`) && `CHANGELOG.md has no dated heading for ${version}`,
  // Whoever installs the package sees from which repository and which run it comes: that is compared with the manifest.
  repository === undefined && 'packages/holdfast/package.json names no repository: provenance needs it',
].filter(Boolean);
for (const problem of problems) process.stderr.write(`release: ${problem}\n`);
if (problems.length > 0) process.exit(1);

await prepare();
const { build, checkTarball, pack } = await import('./ci/packages.mjs');
await build();
const tarball = await pack(join(root, '.tmp/release'));
await checkTarball(tarball);
process.stdout.write(`${tarball}\n`);
