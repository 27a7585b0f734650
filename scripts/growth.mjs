// npm run growth: what a million lock cycles leave behind, and what held locks and waiting calls cost (docs/growth.md).
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { root, run } from './run.mjs';

const program = join(root, 'packages/holdfast/node_modules/.cache/growth.mjs');

await bundle(join(root, 'packages/holdfast/test/proof/growth.main.ts'), program);
process.exitCode = await run(process.execPath, [
  join(root, 'scripts/with-redis.mjs'),
  '--',
  process.execPath,
  '--expose-gc',
  program,
  ...process.argv.slice(2),
]);
