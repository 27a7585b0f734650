// npm run soak -- [options]: very many held locks and waiters for a long time, under faults; see docs/soak.md. --help lists the options.
//
// The processes that are measured run bundled code, as users install it.
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { prepare } from './prepare.mjs';
import { root, runSource } from './run.mjs';

const safety = join(root, 'packages/safety');

await prepare();
await bundle(join(safety, 'src/soak/worker/worker.ts'), join(safety, 'node_modules/.cache/soak-worker.mjs'));
process.exitCode = await runSource(join(safety, 'src/soak/main.ts'), process.argv.slice(2));
