// npm test -- [jest arguments]      e.g. npm test -- --selectProjects core
//
// All tests, from nothing: installs the workspace, makes sure that Redis servers can be started, runs jest.
import { findPrivateRedis } from '../packages/testkit/src/redis/find.mjs';
import { prepare } from './prepare.mjs';
import { root, run } from './run.mjs';

/** Each test file starts its own server. The first one is started here, so that an install is done once, and in view. */
async function checkRedis() {
  try {
    const redis = await findPrivateRedis();
    process.stderr.write(`[redis] ${redis.how}\n`);
    await redis.stop();
  } catch (error) {
    if (!process.env.REDIS_URL) throw error;
    process.stderr.write('[redis] only REDIS_URL; tests that stop or kill their own server will fail\n');
  }
}

try {
  await prepare();
  await checkRedis();
  process.exitCode = await run(process.execPath, [
    '--expose-gc',
    '--experimental-vm-modules',
    '--disable-warning=ExperimentalWarning',
    `${root}/node_modules/jest/bin/jest.js`,
    ...process.argv.slice(2),
  ]);
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
