// npm run check-history -- FILES…: judges the histories that the processes of a run wrote (packages/safety). --help lists the options.
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root, run } from './run.mjs';

await prepare();
process.exitCode = await run(process.execPath, [
  '--conditions=@holdfast/source',
  '--import',
  'tsx',
  join(root, 'packages/safety/src/check/main.ts'),
  ...process.argv.slice(2),
]);
