// npm run faults -- [options]: many processes on real servers that are broken all the time; see docs/faults.md. --help lists the options.
//
// Everything runs bundled: plain TypeScript starts slowly, and the processes are killed and started again all the time.
import { join } from 'node:path';
import { commit } from './commit.mjs';
import { prepare } from './prepare.mjs';
import { root, run } from './run.mjs';

const safety = join(root, 'packages/safety');
const cache = join(safety, 'node_modules/.cache');

async function campaign(args) {
  await prepare();
  const { build } = await import('esbuild'); // not there before that on a fresh clone
  const bundle = (source, name, options = {}) =>
    build({
      entryPoints: [join(safety, 'src', source)],
      outfile: join(cache, name),
      bundle: true,
      platform: 'node',
      format: 'esm',
      target: 'node20',
      conditions: ['@holdfast/source'],
      external: ['ioredis', 'ioredis5', '@testcontainers/redis'],
      logLevel: 'warning',
      ...options,
    });
  await Promise.all([
    bundle('campaign/main.ts', 'faults.mjs'),
    bundle('campaign/judge.ts', 'judge.mjs'),
    bundle('worker/worker.ts', 'worker-6.mjs'),
    bundle('worker/worker.ts', 'worker-5.mjs', { alias: { ioredis: 'ioredis5' } }),
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
