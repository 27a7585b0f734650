import { createHash } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BuildOptions, Plugin } from 'esbuild';

/** Options of {@link bundleProgram}. */
export interface BundleProgramOptions {
  /** What `import 'ioredis'` gives, also deep inside the packages under test: another package, or a file beside the program. */
  readonly ioredis?: string | undefined;
}

/** Loaded when it is needed: that takes longer than most test files take otherwise. */
const bundle = async (options: BuildOptions) => (await import('esbuild')).build(options);

/** Made once for each program and module registry. */
const made = new Map<string, Promise<string>>();

/**
 * Makes one JavaScript file of a TypeScript program and all of the workspace that it imports: a process starts on it in a quarter of the time
 * that a loader takes for the sources one by one. It lies in the cache folder of the program's package and loads what is installed there as
 * any code of that package does. `import.meta.url` is its own address.
 *
 * @param path of the program
 * @returns the path of what Node.js can run
 * @throws Error when the program is not there, or does not compile.
 */
export function bundleProgram(path: string, options: BundleProgramOptions = {}): Promise<string> {
  const { ioredis = 'ioredis' } = options;
  const key = `${ioredis} ${path}`;
  let file = made.get(key);
  if (file === undefined) {
    file = write(path, ioredis, join(cacheOf(path), createHash('sha1').update(key).digest('hex').slice(0, 16)));
    made.set(key, file);
  }
  return file;
}

function cacheOf(path: string): string {
  const folder = folderAbove(path, (above) => existsSync(join(above, 'package.json')));
  return join(folder ?? dirname(path), 'node_modules/.cache/programs');
}

async function write(path: string, ioredis: string, place: string): Promise<string> {
  const outfile = `${place}.mjs`;
  // Several test files may make it at once: each moves its own, whole, into place.
  const unfinished = `${place}-${process.pid}.mjs`;
  await bundle({
    ...forNode,
    entryPoints: [path],
    outfile: unfinished,
    plugins: [substitute(ioredis, dirname(path)), installedStays(outfile)],
  });
  await rename(unfinished, outfile);
  return outfile;
}

const forNode = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'es2022',
  conditions: ['@holdfast/source'],
  logLevel: 'silent',
} satisfies BuildOptions;

/**
 * As {@link bundleProgram} does, of many programs that import the same: what they share is compiled once, into files of its own.
 *
 * @param folder where the files are to lie, which nobody else writes to; each is called as its program, with the ending `.mjs`
 */
export async function bundlePrograms(paths: readonly string[], folder: string): Promise<void> {
  await bundle({
    ...forNode,
    entryPoints: [...paths],
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    splitting: true,
    plugins: [installedStays(join(folder, 'program.mjs'))],
  });
}

const substitute = (ioredis: string, folder: string): Plugin => ({
  name: 'the ioredis that was asked for',
  setup: (bundling) =>
    bundling.onResolve({ filter: /^ioredis$/ }, () =>
      ioredis.startsWith('.') ? { path: join(folder, ioredis) } : { path: ioredis, external: true },
    ),
});

/**
 * What is installed where the program will run is loaded from there; the workspace's own packages, which are linked there, are not. What is only
 * imported on demand need not be there at all.
 */
const installedStays = (outfile: string): Plugin => ({
  name: 'what is installed stays outside',
  setup: (bundling) =>
    bundling.onResolve({ filter: /^[^./]/ }, ({ path, kind }) => {
      if (kind === 'entry-point') return undefined;
      const name = /^(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? path;
      const isOutside =
        kind === 'dynamic-import' || folderAbove(outfile, (above) => isInstalled(above, name)) !== undefined;
      return isOutside ? { path, external: true } : undefined;
    }),
});

function isInstalled(folder: string, name: string): boolean {
  const place = join(folder, 'node_modules', name);
  return existsSync(place) && realpathSync(place).includes('/node_modules/');
}

/** The nearest folder around a file that is as wanted. */
function folderAbove(file: string, isWanted: (folder: string) => boolean): string | undefined {
  for (let folder = dirname(file); folder !== dirname(folder); folder = dirname(folder)) {
    if (isWanted(folder)) return folder;
  }
  return undefined;
}
