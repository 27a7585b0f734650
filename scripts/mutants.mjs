// npm run mutants                 applies each patch of mutants/ to a copy of the repository and runs the tests it names
// npm run mutants -- 07 24        only these
// npm run mutants -- --continue   goes on with a run that was broken off: what is caught stays so until code or test has changed
// npm run mutants -- --check      only whether every patch still applies; runs nothing
//
// A mutant breaks one rule. It is caught when a test that it names fails. The same tests are run on the unbroken copy
// first: a test that fails anyway catches nothing. Ends with a table and the line "N caught, N survived"; exit code 1
// unless all are caught, also when a patch does not apply.
import { prepare } from './prepare.mjs';
import { root } from './run.mjs';
import { applies, readMutants } from './mutants/mutant.mjs';
import { progressLine, summary, table } from './mutants/table.mjs';
import { Verdicts } from './mutants/verdicts.mjs';
import { Workshop } from './mutants/workshop.mjs';

/** Jest and the servers it starts need about a core each. */
const atOnce = 2;
const aRound = 8;

/** Of a mutant whose patch or test was written to while it was tried. */
const outdated = { why: 'patch or test changed during the run: run it again' };

const say = (line) => process.stdout.write(`${line}\n`);

function chosen(numbers) {
  const all = readMutants();
  const unknown = numbers.filter((wanted) => !all.some(({ number }) => number === wanted));
  if (unknown.length > 0) throw new Error(`no such mutant: ${unknown.join(', ')}`);
  return numbers.length === 0 ? all : all.filter(({ number }) => numbers.includes(number));
}

function check(mutants) {
  const stale = mutants.filter((mutant) => !applies(mutant, root));
  for (const { name } of stale) say(`does not apply any more: ${name}`);
  say(`${mutants.length - stale.length} of ${mutants.length} patches apply`);
  return stale.length === 0;
}

/** Gives each of `mutants` its verdict, some at once. */
async function judge(mutants, onVerdict) {
  const workshops = Array.from({ length: Math.min(atOnce, mutants.length) }, () => new Workshop());
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  process.once('exit', () => {
    for (const workshop of workshops) workshop.remove();
  });
  // In rounds, so that a run that is broken off has its first verdicts soon.
  for (let at = 0; at < mutants.length; at += aRound)
    await judgeRound(workshops, mutants.slice(at, at + aRound), onVerdict);
}

async function judgeRound(workshops, mutants, onVerdict) {
  const shares = workshops.map((_, slot) => mutants.filter((__, index) => index % workshops.length === slot));
  const passing = await Promise.all(workshops.map((workshop, slot) => workshop.passing(shares[slot])));
  const known = new Set(passing.flatMap((titles) => [...titles]));
  const queue = [...mutants];
  const work = async (workshop) => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      onVerdict(mutant, await workshop.verdictOn(mutant, known));
    }
  };
  await Promise.all(workshops.map(work));
}

async function run(mutants, verdicts) {
  await prepare();
  const startedAt = performance.now();
  const open = mutants.filter((mutant) => verdicts.of(mutant)?.caughtBy === undefined);
  say(`${open.length} to run, ${mutants.length - open.length} known from before`);
  let done = 0;
  await judge(open, (mutant, verdict) => {
    verdicts.note(mutant, verdict);
    say(progressLine(mutant, verdict, { done: ++done, of: open.length }));
  });
  const rows = mutants.map((mutant) => [mutant, verdicts.of(mutant) ?? outdated]);
  say(`\n${table(rows)}\n\n${summary(rows, performance.now() - startedAt)}`);
  return rows.every(([, { caughtBy }]) => caughtBy !== undefined);
}

/** @returns {Promise<boolean>} whether all is well */
async function main(words) {
  const mutants = chosen(words.filter((word) => !word.startsWith('--')));
  const unknown = words.filter((word) => word.startsWith('--') && word !== '--check' && word !== '--continue');
  if (unknown.length > 0) throw new Error(`no such option: ${unknown.join(', ')}`);
  if (words.includes('--check')) return check(mutants);
  const verdicts = new Verdicts(mutants);
  if (!words.includes('--continue')) verdicts.forget(mutants);
  return run(mutants, verdicts);
}

try {
  process.exitCode = (await main(process.argv.slice(2))) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
}
