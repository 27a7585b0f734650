// The packed package in a project of its own, run by each runtime, with a Redis for each: one of the properties makes it silent.
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { findPrivateRedis } from '../../packages/testkit/src/redis/find.mjs';
import { command } from '../ci/step.mjs';

const smoke = fileURLToPath(new URL('smoke.mjs', import.meta.url));

/** @param {{ runtimes: ReturnType<typeof import('./programs.mjs').findRuntimes>, tarball: string, folder: string }} options */
export async function checkRuntimes({ runtimes, tarball, folder }) {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/package.json`, JSON.stringify({ name: 'runtimes', private: true }));
  cpSync(smoke, `${folder}/smoke.mjs`);
  const options = ['--no-audit', '--no-fund', '--loglevel=error'];
  await command('npm', ['install', ...options, tarball, 'ioredis@6.0.0'], { cwd: folder });
  const failures = (await Promise.all(runtimes.map((runtime) => failureIn(runtime, folder)))).filter(Boolean);
  if (failures.length === 0) return;
  const titles = failures.map(({ title }) => title);
  throw new Error(`not all holds in ${titles.join(', ')}`, { cause: failures.map(({ why }) => why).join('\n') });
}

async function failureIn({ title, program, args }, folder) {
  const redis = await findPrivateRedis();
  const env = { ...process.env, REDIS_URL: redis.url, NODE: process.execPath };
  try {
    const said = await command(program, [...args, 'smoke.mjs'], {
      cwd: folder,
      env,
      limitMs: 180_000,
      capture: 'stdout',
    });
    process.stdout.write(`${title}: ${said.trim()}\n`);
    return undefined;
  } catch (error) {
    process.stdout.write(`${title}: ${error.message}\n`);
    return { title, why: `${title}: ${error.message}\n${error.cause ?? ''}` };
  } finally {
    await redis.stop();
  }
}
