import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { build } from 'esbuild';

const cache = join(fileURLToPath(new URL('../', import.meta.url)), 'node_modules/.cache');

/**
 * Runs a script of this folder in a process of its own, as `npm run simulate` does, and gives what it printed. Within Jest a world takes ten
 * times as long.
 */
export async function runBundled(script: string, args: readonly (string | number)[] = []): Promise<string> {
  const outfile = join(cache, `${script}-${process.pid}.mjs`);
  await build({
    entryPoints: [fileURLToPath(new URL(`${script}.script.ts`, import.meta.url))],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    conditions: ['@holdfast/source'],
    external: ['ioredis', '@testcontainers/redis'],
    logLevel: 'error',
  });
  const { stdout } = await promisify(execFile)(process.execPath, [outfile, ...args.map(String)]);
  return stdout.trim();
}
