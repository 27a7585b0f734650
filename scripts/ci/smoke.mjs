// The packed tarball in a project of their own, installed with npm, used as users do.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { root } from '../run.mjs';
import { command } from './step.mjs';

const consumer = fileURLToPath(new URL('consumer', import.meta.url));

/** The compiler most projects have today: everything here is checked by the next one, and the recipe for Nest by the one before. */
const javascriptTsc = `${root}/node_modules/typescript/bin/tsc`;

/** The versions of ioredis that are promised to work: the oldest, and the newest of each major version that is tested. */
export const ioredisVersions = ['5.4.2', '5.11.1', '6.0.0'];

/** The programs of the consumer, and what each shows. */
export const programs = {
  'esm.mjs': 'ESM',
  'cjs.cjs': 'CommonJS',
  'dual.mjs': 'ESM and CommonJS in one process: one AsyncLocalStorage',
  'cli.mjs': 'the command line',
  'redlock.mjs': 'the API of redlock 5, ESM',
  'redlock.cjs': 'the API of redlock 5, CommonJS',
  'typed.mjs': 'TypeScript, ESM',
  'typed.cjs': 'TypeScript, CommonJS',
};

/**
 * Makes the project and compiles its TypeScript.
 *
 * @param {{ folder: string, tarball: string, ioredis: string }} options
 */
export async function installConsumer({ folder, tarball, ioredis }) {
  mkdirSync(folder, { recursive: true });
  cpSync(consumer, folder, { recursive: true });
  const typed = readFileSync(`${consumer}/typed.ts`, 'utf8');
  for (const extension of ['mts', 'cts']) writeFileSync(`${folder}/typed.${extension}`, typed);
  cpSync(`${consumer}/exact.ts`, `${folder}/exact.mts`);
  writeFileSync(`${folder}/package.json`, JSON.stringify({ name: 'consumer', private: true }));
  await command(
    'npm',
    ['install', '--no-audit', '--no-fund', '--loglevel=error', tarball, `ioredis@${ioredis}`, '@types/node@20'],
    { cwd: folder },
  );
  const installed = JSON.parse(readFileSync(`${folder}/node_modules/ioredis/package.json`, 'utf8')).version;
  if (installed !== ioredis) throw new Error(`ioredis ${installed} was installed in place of ${ioredis}`);
  await command(process.execPath, [javascriptTsc, '--project', folder]);
}

/** Runs one program of the consumer against a Redis. It has to end by itself. */
export async function runConsumer({ folder, program, redisUrl }) {
  await command(process.execPath, [program], {
    cwd: folder,
    env: { ...process.env, REDIS_URL: redisUrl },
    limitMs: 30_000,
  });
}
