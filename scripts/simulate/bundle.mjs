// The simulation as one file: plain TypeScript starts slowly, and a mutant is tried in a bundle of its own.
import { join } from 'node:path';

/** @param {string} from top folder of the repository, or of a copy @param {string} to @param {import('esbuild').Plugin[]} plugins */
export async function bundle(from, to, plugins = []) {
  const { build } = await import('esbuild'); // not there before the workspace is installed
  await build({
    entryPoints: [join(from, 'packages/simulation/src/campaign/main.ts')],
    outfile: to,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@holdfast/source'],
    external: ['ioredis', '@testcontainers/redis'],
    plugins,
    logLevel: 'warning',
  });
}
