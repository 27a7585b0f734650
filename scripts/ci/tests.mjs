// The README's test command, counted test by test.
import { readFileSync, rmSync } from 'node:fs';
import { command } from './step.mjs';

/**
 * @param {import('./step.mjs').Tally} tally
 * @param {string} folder for the report
 */
export async function runTests(tally, folder) {
  const report = `${folder}/jest.json`;
  rmSync(report, { force: true });
  let problem;
  process.stdout.write('\n== npm test\n');
  try {
    await command('npm', ['test', '--', '--ci', '--json', `--outputFile=${report}`], { limitMs: 15 * 60_000 });
  } catch (error) {
    problem = error.message;
  }
  let result;
  try {
    result = JSON.parse(readFileSync(report, 'utf8'));
  } catch {
    tally.fail(`npm test ${problem ?? 'wrote no report'}`);
    return;
  }
  tally.passed += result.numPassedTests;
  if (result.numPendingTests > 0) tally.skip('tests', `${result.numPendingTests} are marked as skipped`);
  // A file that cannot be loaded has no tests to count.
  const failed = result.numFailedTests + result.numRuntimeErrorTestSuites;
  if (failed > 0) tally.fail('npm test', failed);
  else if (problem !== undefined) tally.fail(`npm test ${problem}`);
}
