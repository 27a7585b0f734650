// npm run bench -- [options]: holdfast beside its peers; see docs/performance.md. --help lists the options.
//
// The processes that are measured run bundled code, as users install it: tsx keeps the names of functions in a way that costs time and memory.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root, run } from './run.mjs';

const bench = join(root, 'packages/bench');

await prepare();
const { build } = await import('esbuild'); // not there before that on a fresh clone
const { devDependencies } = JSON.parse(readFileSync(join(bench, 'package.json'), 'utf8'));
await build({
  entryPoints: [join(bench, 'src/worker/worker.ts')],
  outfile: join(bench, 'node_modules/.cache/worker.mjs'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  conditions: ['@holdfast/source'],
  external: [...Object.keys(devDependencies).filter((name) => !name.includes('holdfast')), '@testcontainers/redis'],
  logLevel: 'warning',
});
process.exitCode = await run(process.execPath, [
  '--conditions=@holdfast/source',
  '--import',
  'tsx',
  join(bench, 'src/main.ts'),
  ...process.argv.slice(2),
]);
