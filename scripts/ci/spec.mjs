// The models, where there are SPIN and a C compiler or they can be installed without asking.
import { haveTools } from '../spec/tools.mjs';
import { command } from './step.mjs';

/** @param {import('./step.mjs').Tally} tally */
export async function checkSpec(tally) {
  const name = 'the models of the protocol (npm run spec -- --quick)';
  if (!(await haveTools())) return tally.skip(name, 'no SPIN or no C compiler');
  await tally.check(name, () => command('npm', ['run', '--silent', 'spec', '--', '--quick']));
}
