// The external referee in Go: the tests ask it (packages/safety/test); here it is vetted.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../run.mjs';
import { command } from './step.mjs';

/** @param {import('./step.mjs').Tally} tally */
export async function checkReferee(tally) {
  const name = 'Porcupine as referee: go vet, go mod verify';
  if (spawnSync('go', ['version']).status !== 0)
    return tally.skip(name, 'there is no Go here; nor did the tests ask it');
  const cwd = join(root, 'packages/safety/referee');
  await tally.check(name, async () => {
    await command('go', ['vet', '-mod=readonly', '.'], { cwd });
    await command('go', ['mod', 'verify'], { cwd });
  });
}
