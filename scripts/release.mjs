// npm run release -- v0.2.0      builds, packs and checks what is to be published under a tag; prints where the tarballs are
//
// Publishes nothing: scripts/release/publish.mjs does, in .github/workflows/release.yml, as the registry's trusted publisher, with the tarballs that were
// checked here.
import { readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import { prepare } from './prepare.mjs';
import { published } from './release/packages.mjs';
import { root } from './run.mjs';

const [tag] = process.argv.slice(2);
const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8');
const { version } = published[0].manifest;

const problems = [
  ...published.flatMap(({ manifest }) => [
    tag !== `v${manifest.version}` &&
      `the tag is ${tag ?? 'not given'}, the version of ${manifest.name} is ${manifest.version}`,
    // Whoever installs a package sees from which repository and which run it comes: that is compared with the manifest.
    manifest.repository === undefined && `the manifest of ${manifest.name} names no repository: provenance needs it`,
  ]),
  !changelog.includes(`\n## [${version}] - 20`) && `CHANGELOG.md has no dated heading for ${version}`,
].filter(Boolean);
for (const problem of problems) process.stderr.write(`release: ${problem}\n`);
if (problems.length > 0) process.exit(1);

await prepare();
const { build, checkTarball, pack } = await import('./ci/packages.mjs');
const { packIntegration } = await import('./ci/integrations.mjs');
const destination = join(root, '.tmp/release');
rmSync(destination, { recursive: true, force: true });
await build();
const [holdfast, ...beside] = published;
const tarball = await pack(join(destination, holdfast.manifest.name));
await checkTarball(tarball);
process.stdout.write(`${tarball}\n`);
for (const { folder, manifest } of beside) {
  process.stdout.write(`${await packIntegration(basename(folder), join(destination, manifest.name))}\n`);
}
