// The packed package in a project of its own, run by each runtime.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { command } from '../ci/step.mjs';

const smoke = fileURLToPath(new URL('smoke.mjs', import.meta.url));

/** @param {{ runtimes: ReturnType<typeof import('./programs.mjs').findRuntimes>, tarball: string, folder: string, redisUrl: string }} options */
export async function checkRuntimes({ runtimes, tarball, folder, redisUrl }) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, JSON.stringify({ name: 'runtimes', private: true }));
  cpSync(smoke, `${folder}/smoke.mjs`);
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  await command('npm', ['install', ...options, tarball, 'ioredis@6.0.0'], { cwd: folder });
  const failed = [];
  for (const { title, program, args } of runtimes) {
    const env = { ...process.env, REDIS_URL: redisUrl, NODE: process.execPath };
    const said = await command(program, [...args, 'smoke.mjs'], {
      cwd: folder,
      env,
      limitMs: 60_000,
      capture: 'stdout',
    }).then(
      (text) => text.trim(),
      (error) => {
        failed.push(title);
        return error.message;
      },
    );
    process.stdout.write(`${title}: ${said}\n`);
  }
  if (failed.length > 0) throw new Error(`not all holds in ${failed.join(', ')}`);
}
