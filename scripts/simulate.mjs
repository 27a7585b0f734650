// npm run simulate -- [options]: the real client, many times in one process, in simulated worlds; see docs/simulation.md. --help lists the options.
import { join } from 'node:path';
import { commit } from './commit.mjs';
import { prepare } from './prepare.mjs';
import { root, run } from './run.mjs';
import { bundle } from './simulate/bundle.mjs';

const args = process.argv.slice(2);
/** The others, when this word is among them; undefined: it is not. */
const without = (word) => (args.includes(word) ? args.filter((one) => one !== word) : undefined);
const [mutants, planted] = ['--mutant', '--planted'].map(without);
await prepare();
if (mutants) {
  const { findMutants } = await import('./simulate/mutants.mjs');
  process.exitCode = (await findMutants(mutants)) ? 0 : 1;
} else if (planted) {
  const { findPlanted } = await import('./simulate/planted.mjs');
  process.exitCode = (await findPlanted(planted)) ? 0 : 1;
} else {
  const file = join(root, 'packages/simulation/node_modules/.cache/simulate.mjs');
  await bundle(root, file);
  const places = {
    results: join(root, 'docs/faults/simulation.jsonl'),
    document: join(root, 'docs/faults.md'),
    scratch: join(root, '.tmp/simulate'),
    commit: commit(),
  };
  process.exitCode = await run(process.execPath, [file, ...args], {
    env: { ...process.env, HOLDFAST_SIMULATION_PLACES: JSON.stringify(places) },
  });
}
