// npm run long -- [jest arguments]: the tests that need minutes for a single look. Not part of npm test; .ci/run calls it.
import { checkRedis, jest } from './jest.mjs';
import { prepare } from './prepare.mjs';

try {
  await prepare();
  await checkRedis();
  process.exitCode = await jest([...process.argv.slice(2), '--selectProjects', 'long'], { HOLDFAST_LONG: '1' });
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
