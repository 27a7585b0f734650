// npm run growth: what a million lock cycles leave behind, and what held locks and waiting calls cost (docs/growth.md).
//
// Bundled first, because tsx keeps the names of functions in a way that costs some 250 bytes for each closure.
import { build } from 'esbuild';
import { join } from 'node:path';
import { root, run } from './run.mjs';

const proof = join(root, 'packages/holdfast/test/proof/growth.main.ts');
const program = join(root, 'packages/holdfast/node_modules/.cache/growth.mjs');

await build({
  entryPoints: [proof],
  outfile: program,
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  conditions: ['@holdfast/source'],
  external: ['ioredis', '@testcontainers/redis'],
  logLevel: 'warning',
});
process.exitCode = await run(process.execPath, [
  join(root, 'scripts/with-redis.mjs'),
  '--',
  process.execPath,
  '--expose-gc',
  program,
  ...process.argv.slice(2),
]);
