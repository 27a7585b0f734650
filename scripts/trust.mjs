// npm run trust -- --runs N [--load K] [--stalls] [-- jest arguments]
//
// Does the suite tell the truth? Runs it N times (5), beside K processes that keep a core busy each (0), and prints every test that ever
// failed, how often and why. With --stalls (on Linux) the processes in which tests run stand still for half a second now and then. Ends with exit code 1 unless every run was green. Ctrl-C ends everything and prints what was seen until then.
//
//   npm run trust -- --runs 20 --load 4 -- --selectProjects holdfast -- contract/waiting
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { checkRedis, jest } from './jest.mjs';
import { prepare } from './prepare.mjs';
import { root } from './run.mjs';
import { startLoad } from './trust/load.mjs';
import { startStalls } from './trust/stalls.mjs';
import { filesOf, isGreen, report, runLine } from './trust/report.mjs';

function commandLine(args) {
  const split = args.indexOf('--');
  const own = split < 0 ? args : args.slice(0, split);
  const { values } = parseArgs({
    args: own,
    options: { runs: { type: 'string' }, load: { type: 'string' }, stalls: { type: 'boolean', default: false } },
  });
  const [runs, load] = [Number(values.runs ?? 5), Number(values.load ?? 0)];
  if (!Number.isInteger(runs) || runs < 1)
    throw new RangeError(`--runs must be a positive integer, not ${values.runs}`);
  if (!Number.isInteger(load) || load < 0) throw new RangeError(`--load must be a count, not ${values.load}`);
  if (values.stalls && process.platform !== 'linux')
    throw new Error('--stalls works on Linux only: it finds the processes to stop in /proc');
  return { runs, load, stalls: values.stalls, jestArgs: split < 0 ? [] : args.slice(split + 1) };
}

/** @returns {Promise<import('./trust/report.mjs').Run>} */
async function runOnce(folder, number, jestArgs) {
  const file = join(folder, `${number}.jsonl`);
  const startedAt = performance.now();
  const reporters = ['default', join(root, 'scripts/trust/reporter.mjs')].map((name) => `--reporters=${name}`);
  // An option ends the list of reporters: else files that come first would be of it.
  const exitCode = await jest([...reporters, '--ci', ...jestArgs], { HOLDFAST_TRUST_FILE: file });
  const ms = performance.now() - startedAt;
  let lines = '';
  try {
    lines = readFileSync(file, 'utf8');
  } catch {
    // It ended before its first file did.
  }
  return { exitCode, ms, files: filesOf(lines) };
}

async function main() {
  const { runs: of, load, stalls, jestArgs } = commandLine(process.argv.slice(2));
  await prepare();
  await checkRedis();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-trust-'));
  const interrupted = new AbortController();
  // Jest hears them too, and ends.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => interrupted.abort());
  const burning = await startLoad(load);
  const stalling = stalls ? startStalls('jest-worker') : undefined;
  const runs = [];
  try {
    while (runs.length < of && !interrupted.signal.aborted) {
      const run = await runOnce(folder, runs.length + 1, jestArgs);
      runs.push(run);
      process.stdout.write(`\n${runLine(run, { number: runs.length, of })}\n\n`);
    }
  } finally {
    await stalling?.stop();
    await burning.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  process.stdout.write(`${report(runs, { root, of })}\n`);
  if (stalling !== undefined) process.stdout.write(`processes with tests stood still ${stalling.count} times\n`);
  return runs.filter(isGreen).length === of ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
