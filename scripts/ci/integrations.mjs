// The packages that are published beside holdfast, each a subscriber or adapter of its own: built, packed and checked as holdfast is.
import { mkdirSync, writeFileSync } from 'node:fs';
import { root } from '../run.mjs';
import { checkManifest } from './manifest.mjs';
import { checkTarball, filesIn, importsOf, packFolder, readFrom, runPnpm } from './packages.mjs';
import { command } from './step.mjs';

/** What each may import, beside Node's own modules, and a use of some of its names that shows that it was loaded. */
const known = {
  opentelemetry: {
    imports: ['@opentelemetry/api', 'holdfast'],
    names: 'measureLocks, traceLocks',
    use: 'measureLocks().stop(); traceLocks().stop();',
  },
  nestjs: {
    imports: ['@nestjs/common', 'holdfast'],
    names: 'HoldfastModule, WithLock',
    use: "HoldfastModule.forRoot({ redis: 'redis://localhost' }); WithLock(() => 'name');",
  },
};
export const integrations = Object.keys(known);

const code = ['js', 'cjs', 'd.ts', 'd.cts'].map((extension) => `dist/index.${extension}`);
const expected = ['LICENSE', 'README.md', 'package.json', ...code];

/** @returns {Promise<string>} the tarball of a package, freshly built. */
export async function packIntegration(name, destination) {
  const folder = `${root}/packages/${name}`;
  await runPnpm(['--reporter=append-only', '--loglevel=warn', 'run', 'build'], { cwd: folder });
  const tarball = await packFolder(folder, destination);
  const files = await filesIn(tarball);
  const odd = [
    ...files.filter((file) => !expected.includes(file)),
    ...expected.filter((file) => !files.includes(file)),
  ];
  if (odd.length > 0) throw new Error(`${tarball} lacks, or brings: ${odd.join(', ')}`);
  checkManifest(JSON.parse(await readFrom(tarball, 'package.json')));
  for (const file of code) {
    const strange = importsOf(await readFrom(tarball, file)).filter((from) => !known[name].imports.includes(from));
    if (strange.length > 0) throw new Error(`${file} imports ${strange.join(', ')}`);
  }
  await checkTarball(tarball);
  return tarball;
}

/** Installs it beside holdfast, and loads it as ESM and as CommonJS. */
export async function loadIntegration(name, { tarball, holdfast, folder }) {
  mkdirSync(folder, { recursive: true });
  const beside = known[name].imports.filter((other) => other !== 'holdfast');
  writeFileSync(`${folder}/package.json`, JSON.stringify({ name: 'consumer', private: true }));
  const what = [tarball, holdfast, 'ioredis@6', ...beside];
  await command('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...what], { cwd: folder });
  const { names, use } = known[name];
  writeFileSync(`${folder}/main.mjs`, `import { ${names} } from '@holdfast/${name}';\n${use}\n`);
  writeFileSync(`${folder}/main.cjs`, `const { ${names} } = require('@holdfast/${name}');\n${use}\n`);
  for (const program of ['main.mjs', 'main.cjs']) await command(process.execPath, [program], { cwd: folder });
}
