// A reporter of jest: one line of JSON for each test file, written when the file is done, so that a run that was broken off says what it
// had seen. Jest's own --json comes at the end only, and does not say in which project a file ran.
import { appendFileSync } from 'node:fs';

export default class TrustReporter {
  #file = process.env.HOLDFAST_TRUST_FILE;

  onTestResult({ context, path }, { failureMessage, perfStats, testExecError, testResults }) {
    const failures = testResults
      .filter(({ status }) => status === 'failed')
      .map(({ fullName, failureMessages }) => ({ title: fullName, why: failureMessages.join('\n') }));
    // A file that could not be loaded, or whose process died, has no tests that could fail.
    if (testExecError != null)
      failures.push({ title: '(the file itself)', why: failureMessage ?? String(testExecError) });
    const line = {
      project: context.config.displayName?.name ?? '',
      path,
      ms: perfStats.end - perfStats.start,
      tests: testResults.filter(({ status }) => status === 'passed' || status === 'failed').length,
      failures,
    };
    appendFileSync(this.#file, `${JSON.stringify(line)}\n`);
  }
}
