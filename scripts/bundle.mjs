// A program of the workspace as one file, as users have it: plain TypeScript starts slowly, and tsx keeps the names of functions in a way that costs time
// and memory, some 250 bytes for each closure.

/** @param {string} source @param {string} outfile @param {import('esbuild').BuildOptions} more */
export async function bundle(source, outfile, more = {}) {
  const { build } = await import('esbuild'); // not there before the workspace is installed
  await build({
    entryPoints: [source],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    conditions: ['@holdfast/source'],
    external: ['ioredis', '@testcontainers/redis'],
    logLevel: 'warning',
    ...more,
  });
}
