// The README's test command, counted test by test.
import { readFileSync, rmSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
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
  if (failed > 0) tally.fail('npm test', { count: failed, why: failuresOf(result) });
  else if (problem !== undefined) tally.fail(`npm test ${problem}`);
}

/** The title of each failed test, and the first lines of its message. */
function failuresOf({ testResults }) {
  const firstLines = (message) => stripVTControlCharacters(message).trim().split('\n').slice(0, 4).join('\n');
  return testResults
    .filter(({ status }) => status === 'failed')
    .flatMap(({ name, message, assertionResults }) => {
      const failed = assertionResults.filter(({ status }) => status === 'failed');
      if (failed.length === 0) return [`${name}\n${firstLines(message)}`];
      return failed.map(({ fullName, failureMessages }) => `${fullName}\n${firstLines(failureMessages.join('\n'))}`);
    })
    .join('\n');
}
