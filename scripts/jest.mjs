// Jest as every command here runs it: on ES modules, with a garbage collector that tests may call.
import { findPrivateRedis } from '../packages/testkit/src/redis/find.mjs';
import { root, run } from './run.mjs';

const program = ['--expose-gc', '--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/** @param {string[]} args of jest @param {NodeJS.ProcessEnv} [env] beside our own @returns its exit code */
export const jest = (args, env = {}) =>
  run(process.execPath, [...program, `${root}/node_modules/jest/bin/jest.js`, ...args], {
    env: { ...process.env, ...env },
  });

/** Each test file starts its own server. The first one is started here, so that an install is done once, and in view. */
export async function checkRedis() {
  try {
    const redis = await findPrivateRedis();
    process.stderr.write(`[redis] ${redis.how}\n`);
    await redis.stop();
  } catch (error) {
    if (!process.env.REDIS_URL) throw error;
    process.stderr.write('[redis] only REDIS_URL; tests that stop or kill their own server will fail\n');
  }
}
