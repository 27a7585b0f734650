// From what the runs of a suite have seen to what is said of it. Pure: tested in packages/testkit/test/trust.test.ts.
import { stripVTControlCharacters } from 'node:util';

/**
 * @typedef {object} FileResult  a test file in one run, as scripts/trust/reporter.mjs writes it
 * @property {string} project
 * @property {string} path
 * @property {number} ms
 * @property {number} tests
 * @property {{ title: string, why: string }[]} failures
 *
 * @typedef {object} Run
 * @property {number} exitCode    of jest
 * @property {number} ms
 * @property {FileResult[]} files
 */

/** @param {string} lines @returns {FileResult[]} the last line may be cut short: its writer may have been killed */
export function filesOf(lines) {
  return lines.split('\n').flatMap((line) => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

const isFrame = (line) => /^\s*at /.test(line);

/**
 * What a failure says, in a line: the matcher and what it expected and got, or the message; then the place in a test.
 *
 * @param {string} message as jest gives it, with colours and stack
 */
export function reasonOf(message) {
  const lines = stripVTControlCharacters(message).split('\n');
  const said = lines.filter((line) => !isFrame(line) && line.trim() !== '').map((line) => line.trim());
  const place = lines
    .map((line) => /([\w.-]+\.[cm]?[jt]s:\d+):\d+\)?$/.exec(line)?.[1])
    .find((found) => found !== undefined);
  const text = said.slice(0, 4).join(' · ');
  const short = text.length > 240 ? `${text.slice(0, 239)}…` : text;
  return place === undefined ? short : `${short} (${place})`;
}

/** @param {Run} run */
const testsIn = ({ files }) => files.reduce((sum, file) => sum + file.tests, 0);
/** @param {Run} run */
const failuresIn = ({ files }) => files.reduce((sum, file) => sum + file.failures.length, 0);

/** A run counts when jest came to its end and found nothing: jest can also fail after the last test. @param {Run} run */
export const isGreen = (run) => run.exitCode === 0 && failuresIn(run) === 0 && testsIn(run) > 0;

/** @param {Run} run @param {{ number: number, of: number }} place */
export function runLine(run, { number, of }) {
  const colour = isGreen(run) ? 'green' : 'RED';
  const counts = `${testsIn(run)} tests, ${failuresIn(run)} failed`;
  const exit = run.exitCode === 0 ? '' : `, exit code ${run.exitCode}`;
  return `run ${number}/${of}  ${colour}  ${counts}${exit}  (${Math.round(run.ms / 1_000)} s)`;
}

/**
 * Each test that ever failed: how often, and each reason with its count; the most frequent first.
 *
 * @param {Run[]} runs @param {string} root what paths are told without
 */
export function everFailed(runs, root) {
  const found = new Map();
  for (const { files } of runs) {
    for (const { project, path, failures } of files) {
      for (const { title, why } of failures) {
        const name = `[${project}] ${path.replace(root, '')}: ${title}`;
        const reasons = found.get(name) ?? new Map();
        const reason = reasonOf(why);
        reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
        found.set(name, reasons);
      }
    }
  }
  const times = (reasons) => [...reasons.values()].reduce((sum, count) => sum + count, 0);
  return [...found]
    .map(([test, reasons]) => ({ test, times: times(reasons), reasons: [...reasons].sort(([, a], [, b]) => b - a) }))
    .sort((a, b) => b.times - a.times || a.test.localeCompare(b.test));
}

/** @param {Run[]} runs @param {string} root */
export function slowest(runs, root, count = 10) {
  const longest = new Map();
  for (const { files } of runs) {
    for (const { project, path, ms } of files) {
      const name = `[${project}] ${path.replace(root, '')}`;
      longest.set(name, Math.max(longest.get(name) ?? 0, ms));
    }
  }
  return [...longest].sort(([, a], [, b]) => b - a).slice(0, count);
}

/** @param {Run[]} runs @param {{ root: string, of: number }} about */
export function report(runs, { root, of }) {
  const lines = ['', 'slowest files, the longest of all runs:'];
  for (const [name, ms] of slowest(runs, root)) lines.push(`  ${(ms / 1_000).toFixed(1).padStart(6)} s  ${name}`);
  const failed = everFailed(runs, root);
  if (failed.length > 0) lines.push('', `failed at least once in ${runs.length} runs:`);
  for (const { test, times, reasons } of failed) {
    lines.push(`  ${times} of ${runs.length}  ${test}`);
    for (const [reason, count] of reasons) lines.push(`      ${count} x ${reason}`);
  }
  lines.push('', `${runs.filter(isGreen).length} of ${of} runs green`);
  return lines.join('\n');
}
