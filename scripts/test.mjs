// npm test -- [jest arguments]      e.g. npm test -- --selectProjects core
//
// All tests, from nothing: installs the workspace, makes sure that Redis servers can be started, runs jest.
import { checkRedis, jest } from './jest.mjs';
import { prepare } from './prepare.mjs';

try {
  await prepare();
  await checkRedis();
  process.exitCode = await jest(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
