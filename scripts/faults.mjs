// npm run faults -- [options]: many processes on real servers that are broken all the time; see docs/faults.md. --help lists the options.
//
// Everything runs bundled: plain TypeScript starts slowly, and the processes are killed and started again all the time.
import { join } from 'node:path';
import { bundle } from './bundle.mjs';
import { commit } from './commit.mjs';
import { prepare } from './prepare.mjs';
import { root, run } from './run.mjs';

const safety = join(root, 'packages/safety');
const cache = join(safety, 'node_modules/.cache');

async function campaign(args) {
  await prepare();
  const external = ['ioredis', 'ioredis5', '@testcontainers/redis'];
  const program = (source, name, more = {}) =>
    bundle(join(safety, 'src', source), join(cache, name), { external, ...more });
  await Promise.all([
    program('campaign/main.ts', 'faults.mjs'),
    program('campaign/judge.ts', 'judge.mjs'),
    program('worker/worker.ts', 'worker-6.mjs'),
    program('worker/worker.ts', 'worker-5.mjs', { alias: { ioredis: 'ioredis5' } }),
  ]);
  const places = {
    workerFiles: { ioredis6: join(cache, 'worker-6.mjs'), ioredis5: join(cache, 'worker-5.mjs') },
    judgeFile: join(cache, 'judge.mjs'),
    clockShim: join(safety, 'src/site/clock-shim.c'),
    scratch: join(root, '.tmp/faults'),
    commit: commit(),
  };
  return run(process.execPath, [join(cache, 'faults.mjs'), ...args], {
    env: { ...process.env, HOLDFAST_FAULTS_PLACES: JSON.stringify(places) },
  });
}

const [first, ...rest] = process.argv.slice(2);
if (first === '--mutants') {
  const { findMutants } = await import('./faults/mutants.mjs'); // not there in the copy that it makes
  process.exitCode = (await findMutants(rest)) ? 0 : 1;
} else {
  process.exitCode = await campaign(process.argv.slice(2));
}
