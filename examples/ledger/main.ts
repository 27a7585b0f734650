// The ledger demo; see README.md. Applies the same transfers without and with locks, and compares what is left of the money.
import { readTransfers } from './csv.js';
import { type Options, parseOptions, usage } from './options.js';
import { Progress } from './progress.js';
import { auditOf, table } from './report.js';
import { type Plan, type Result, run } from './run.js';

const file = readTransfers();
const options = optionsOrExit();
const plan: Plan = {
  transfers: file.slice(0, options.transfers),
  guarding: 'no-locks',
  workers: options.workers,
  crash: options.kill,
};

// Ctrl-C reaches the workers too. Their end ends the run, which removes its keys on the way out; a second Ctrl-C does not wait for that.
process.once('SIGINT', () => {});

const results: Result[] = [await run(plan, new Progress('without locks', process.stdout))];
if (options.locks) {
  const guarded = await run({ ...plan, guarding: 'locks' }, new Progress('with locks   ', process.stdout));
  results.push(guarded);
  const { lostUpdates, wrongAccounts } = auditOf(guarded);
  if (lostUpdates !== 0 || wrongAccounts !== 0) process.exitCode = 1;
}
process.stdout.write(`\n${table(results)}`);
if (options.locks && options.kill) process.stdout.write('* of the workers that lived\n');

function optionsOrExit(): Options {
  try {
    return parseOptions(process.argv.slice(2), file.length);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${usage}`);
    return process.exit(64);
  }
}
