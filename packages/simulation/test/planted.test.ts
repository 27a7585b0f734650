import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

/** On a machine that is busy elsewhere. */
const PATIENCE_MS = 120_000;

const planting = fileURLToPath(new URL('../../../scripts/simulate/planted.mjs', import.meta.url));

/** What `npm run simulate -- --planted` says of one planted bug. */
async function verdictOn(name: string): Promise<string> {
  const program = `import { findPlanted } from ${JSON.stringify(planting)}; await findPlanted([${JSON.stringify(name)}]);`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  return stdout.split('\n')[0] ?? '';
}

describe('the judge finds that', () => {
  it.each([
    ['one permit too many is given', 'permits'],
    ['a script gives one permit too many', 'permits'],
    ['a late call takes permits for who has ended', 'ghost'],
    ['who says who it is counts twice', 'latch'],
    ['a leader is told after it has resigned', 'loss told late'],
    ['a value stays for ever', 'share'],
    ['a node that has forgotten its locks votes at once', 'exclusion'],
    ['what a run left open is free at once', 'scope'],
    ['an owner waits for its own hold', 'reentry'],
    ['circles of three are not seen', 'deadlock'],
    ['a reader behind a writer waits for nobody', 'deadlock'],
    ['a write under an older token is done', 'guard'],
    ['a hash of others is taken for a lock', 'stranger'],
    ['a waiter whose entry says more is passed over', 'line'],
    ['a second grant is believed', 'exclusion'],
    ['a copy of a nested call counts', 'record'],
    ['who is gone is given the lock', 'line'],
    ['one level more than the limit', 'limit'],
    ['a reader joins past a writer that waits', 'order'],
    ['the call of a process that came last is served first', 'order'],
    ['a process passes a lock on among its tasks for ever', 'turn'],
    ['who waits for its own process waits beyond its time', 'late'],
    ['a hold is believed for a moment longer than its lease', 'lease'],
  ])(
    '%s',
    async (name, rule) => {
      expect(await verdictOn(name)).toMatch(`found  ${name}: ${rule} (`);
    },
    PATIENCE_MS,
  );
});
