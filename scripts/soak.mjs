// npm run soak -- [options]: very many held locks and waiters for a long time, under faults; see docs/soak.md. --help lists the options.
//
// The processes that are measured run bundled code, as users install it: tsx keeps the names of functions in a way that costs time and memory.
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root, run } from './run.mjs';

const safety = join(root, 'packages/safety');

await prepare();
const { build } = await import('esbuild'); // not there before that on a fresh clone
await build({
  entryPoints: [join(safety, 'src/soak/worker/worker.ts')],
  outfile: join(safety, 'node_modules/.cache/soak-worker.mjs'),
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  conditions: ['@holdfast/source'],
  external: ['ioredis', '@testcontainers/redis'],
  logLevel: 'warning',
});
process.exitCode = await run(process.execPath, [
  '--conditions=@holdfast/source',
  '--import',
  'tsx',
  join(safety, 'src/soak/main.ts'),
  ...process.argv.slice(2),
]);
