// Each way in which a project loads the packed package, with the defaults that the project starts with.
import { readFileSync, writeFileSync } from 'node:fs';
import { root } from '../run.mjs';
import { command } from './step.mjs';

/** Beside what the project has: one of each that loads packages. */
const installed = [
  ...['jest@30', 'ts-jest@29', '@types/jest@30', 'typescript@5'],
  ...['@nestjs/common@11', '@nestjs/core@11', '@nestjs/testing@11', 'reflect-metadata@0.2', 'rxjs@7'],
  ...['vitest@3', 'tsx@4', 'esbuild@0.28', 'rollup@4', '@rollup/plugin-node-resolve@16'],
];

/** @param {string} folder of the project */
export async function installLoaders(folder) {
  await command('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error', ...installed], { cwd: folder });
}

/** @typedef {{ folder: string, redisUrl: string }} Project */

const inFolder =
  (name, program, ...args) =>
  /** @param {Project} project */
  ({ folder, redisUrl }) =>
    command(program === 'node' ? process.execPath : `${folder}/node_modules/.bin/${program}`, args, {
      cwd: `${folder}/${name}`,
      env: { ...process.env, REDIS_URL: redisUrl, NODE_OPTIONS: '' },
      limitMs: 120_000,
    });

/** What is bundled is holdfast alone. */
const apart = ['--external:ioredis', '--external:../checks.cjs'];

const bundled = (file, program, ...args) => {
  const bundle = inFolder('bundles', program, 'main.mjs', ...args);
  const run = inFolder('bundles', 'node', file);
  return async (project) => {
    await bundle(project);
    await run(project);
  };
};
const byEsbuild = (file, ...args) =>
  bundled(file, 'esbuild', ...['--bundle', '--platform=node', `--outfile=${file}`], ...apart, ...args);

/** The whole recipe without the package of ours, as one file of a project that compiles to CommonJS, as those that Nest makes do. */
async function pastedRecipe(project) {
  const recipe = readFileSync(`${root}/docs/recipes/nestjs.md`, 'utf8');
  const [, code] = [...recipe.matchAll(/^```ts\n(.*?)^```$/gms)].at(-1);
  const file = `${project.folder}/nest/src/recipe.ts`;
  writeFileSync(file, code.replaceAll('redis://localhost:6379', project.redisUrl));
  await inFolder('nest', 'tsc', ...['--project', '.', '--outDir', 'built', '--types', 'node,jest'])(project);
  await inFolder('nest', 'node', 'built/recipe.js')(project);
}

export const loaders = {
  'Jest, no configuration': inFolder('jest', 'jest'),
  "Jest, ts-jest's preset": inFolder('ts-jest', 'jest'),
  "Jest, Nest's defaults, with LockClient as a token": inFolder('nest', 'jest'),
  "Nest's recipe, pasted into a CommonJS project": pastedRecipe,
  Vitest: inFolder('vitest', 'vitest', 'run'),
  'node --test': inFolder('node-test', 'node', '--test'),
  tsx: inFolder('tsx', 'tsx', 'main.ts'),
  'an ESM bundle of esbuild, minified': byEsbuild('esbuild.mjs', '--format=esm', '--minify'),
  'a CommonJS bundle of esbuild': byEsbuild('esbuild.cjs', '--format=cjs'),
  'a bundle of Rollup': bundled('rollup.mjs', 'rollup', '--config', 'rollup.config.mjs', '--file', 'rollup.mjs'),
};
