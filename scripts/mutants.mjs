// npm run mutants              applies each patch of mutants/ to a copy of the repository and runs the tests it names
// npm run mutants -- 07 24     only these
// npm run mutants -- --check   only whether every patch still applies; runs nothing
//
// A mutant breaks one rule. It is caught when a test that it names fails. The same tests are run on the unbroken copy
// first: a test that fails anyway catches nothing. Exit code 1 unless all are caught, also when a patch does not apply.
import { prepare } from './prepare.mjs';
import { root } from './run.mjs';
import { applies, readMutants } from './mutants/mutant.mjs';
import { Workshop } from './mutants/workshop.mjs';

/** Jest and the servers it starts need about a core each. */
const atOnce = 2;

const wanted = process.argv.slice(2).filter((argument) => argument !== '--check');
const all = readMutants();
const mutants = wanted.length === 0 ? all : all.filter(({ number }) => wanted.includes(number));

const seconds = (ms) => `${(ms / 1_000).toFixed(1)} s`;
const say = (line) => process.stdout.write(`${line}\n`);

function check() {
  const stale = mutants.filter((mutant) => !applies(mutant, root));
  for (const { file } of stale) say(`does not apply any more: ${file}`);
  say(`${mutants.length - stale.length} of ${mutants.length} patches apply`);
  return stale.length === 0;
}

async function runAll() {
  await prepare();
  const startedAt = performance.now();
  const workshops = Array.from({ length: Math.min(atOnce, mutants.length) }, () => new Workshop());
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));
  process.once('exit', () => {
    for (const workshop of workshops) workshop.remove();
  });
  const shares = workshops.map((_, slot) => mutants.filter((__, index) => index % workshops.length === slot));
  const passing = await Promise.all(workshops.map((workshop, slot) => workshop.passing(shares[slot])));
  say(`the tests on the unbroken code: ${seconds(performance.now() - startedAt)}`);

  const known = new Set(passing.flatMap((titles) => [...titles]));
  let survivors = 0;
  const queue = [...mutants];
  const work = async (workshop) => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      const began = performance.now();
      const { caughtBy, why } = await workshop.verdictOn(mutant, known);
      if (caughtBy === undefined) survivors += 1;
      const verdict = caughtBy ?? `NOT CAUGHT: ${why}`;
      say(
        `| ${mutant.name} | ${mutant.rule} (${mutant.source}) | ${verdict} | ${seconds(performance.now() - began)} |`,
      );
    }
  };
  say('\n| mutant | rule | caught by | time |\n|---|---|---|---|');
  await Promise.all(workshops.map(work));
  say(`\n${mutants.length - survivors} of ${mutants.length} caught, ${seconds(performance.now() - startedAt)}`);
  return survivors === 0;
}

if (mutants.length === 0) throw new Error(`no such mutant: ${wanted.join(', ')}`);
process.exitCode = (await (process.argv.includes('--check') ? check() : runAll())) ? 0 : 1;
