// npm run check-history -- FILES…: judges the histories that the processes of a run wrote (packages/safety). --help lists the options.
import { join } from 'node:path';
import { prepare } from './prepare.mjs';
import { root, runSource } from './run.mjs';

await prepare();
process.exitCode = await runSource(join(root, 'packages/safety/src/check/main.ts'), process.argv.slice(2));
