// What must hold in Node, Bun and Deno, where the latter can be had from npm.
import { checkRuntimes } from '../runtimes/check.mjs';
import { findRuntimes, RuntimesMissing } from '../runtimes/programs.mjs';

/** @param {import('./step.mjs').Tally} tally @param {{ tarball: string, folder: string }} options */
export async function checkOtherRuntimes(tally, options) {
  const name = 'the tarball in Node, Bun and Deno (npm run runtimes)';
  let runtimes;
  try {
    runtimes = findRuntimes();
  } catch (error) {
    if (!(error instanceof RuntimesMissing)) throw error;
    tally.skip(name, error.message);
    return;
  }
  await tally.check(name, () => checkRuntimes({ ...options, runtimes }));
}
