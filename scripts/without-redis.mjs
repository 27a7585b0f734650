// npm run without-redis: what can be checked where no Redis server runs, on Windows for one. Ends like .ci/run.
import { prepare } from './prepare.mjs';
import { command, Tally, tool } from './ci/step.mjs';
import { jest } from './jest.mjs';

const tally = new Tally();

try {
  await prepare();
  await tally.check('lint', () => tool('oxlint', []));
  await tally.check('format', () => tool('biome', ['format', '.']));
  await tally.check('types', () => tool('tsc', ['--build']));
  await tally.check('boundaries and cycles', () => command('npm', ['run', '--silent', 'cycles']));
  await tally.check('the tests of waking and of leases that need no server', async () => {
    const withServer = ['--testPathIgnorePatterns', 'notify/test/(inbox|release-broadcast|waiting-by-broadcast).test'];
    const code = await jest(['--ci', ...withServer, '--selectProjects', 'notify', 'watchdog']);
    if (code !== 0) throw new Error(`jest ended with exit code ${code}`);
  });
  await tally.check('build', () => command('npm', ['run', '--silent', 'build']));
} catch (error) {
  tally.fail(error.stack ?? String(error));
} finally {
  tally.report();
  process.exitCode = tally.failed === 0 ? 0 : 1;
}
