// The packages that are published beside holdfast, each a subscriber or adapter of its own: built, packed and checked as holdfast is.
import { mkdirSync, writeFileSync } from 'node:fs';
import { root } from '../run.mjs';
import { checkManifest } from './manifest.mjs';
import { checkTarball, filesIn, importsOf, packFolder, readFrom, runPnpm } from './packages.mjs';
import { command } from './step.mjs';

/**
 * What each may import beside Node's own modules; what it is installed with, in each version that is promised to work; and a use of it, after imports
 * of these names from these packages.
 */
const known = {
  opentelemetry: {
    imports: ['@opentelemetry/api', 'holdfast'],
    beside: { newest: ['@opentelemetry/api'] },
    names: { '@holdfast/opentelemetry': 'measureLocks, traceLocks' },
    use: 'measureLocks().stop(); traceLocks().stop();',
  },
  nestjs: {
    imports: ['@nestjs/common', '@nestjs/core', 'holdfast'],
    beside: Object.fromEntries(
      ['11', '12'].map((version) => [
        `nest-${version}`,
        [`@nestjs/common@${version}`, `@nestjs/core@${version}`, 'reflect-metadata@0.2', 'rxjs@7'],
      ]),
    ),
    names: { '@holdfast/nestjs': 'HoldfastModule, WithLock', '@nestjs/core': 'NestFactory', holdfast: 'LockClient' },
    use: `
      WithLock(() => 'name');
      const module = HoldfastModule.forRoot({ redis: 'redis://localhost' });
      const app = await NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
      if (!(app.get(LockClient) instanceof LockClient)) throw new Error('Nest has no client to give');
      await app.close();`,
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

/** Installs it beside holdfast, with each version of what it adapts, and uses it as ESM and as CommonJS. */
export async function loadIntegration(name, { tarball, holdfast, folder }) {
  const { beside, names, use } = known[name];
  for (const [version, packages] of Object.entries(beside)) {
    const cwd = `${folder}/${version}`;
    mkdirSync(cwd, { recursive: true });
    writeFileSync(`${cwd}/package.json`, JSON.stringify({ name: 'consumer', private: true }));
    const what = [tarball, holdfast, 'ioredis@6', ...packages];
    await command('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...what], { cwd });
    const imports = Object.entries(names);
    const esm = imports.map(([from, some]) => `import { ${some} } from '${from}';`);
    const cjs = imports.map(([from, some]) => `const { ${some} } = require('${from}');`);
    writeFileSync(`${cwd}/main.mjs`, [...esm, use].join('\n'));
    writeFileSync(`${cwd}/main.cjs`, [...cjs, `(async () => {${use}})();`].join('\n'));
    for (const program of ['main.mjs', 'main.cjs']) await command(process.execPath, [program], { cwd });
  }
}
