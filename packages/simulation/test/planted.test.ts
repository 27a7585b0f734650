import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it } from '@jest/globals';

/** On a machine that is busy elsewhere. */
const PATIENCE_MS = 120_000;

const planting = fileURLToPath(new URL('../../../scripts/simulate/planted.mjs', import.meta.url));

/** What `npm run simulate -- --planted` says of one planted bug, in worlds from a seed on. */
async function verdictOn(name: string, from: number): Promise<string> {
  const asked = `[${JSON.stringify(name)}], { from: ${from} }`;
  const program = `import { findPlanted } from ${JSON.stringify(planting)}; await findPlanted(${asked});`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  return stdout.split('\n')[0] ?? '';
}

describe('the judge finds that', () => {
  /** The number: the first world that shows it today, where that is a later one than the first. */
  it.each<[name: string, rule: string, from?: number]>([
    ['one permit too many is given', 'permits'],
    ['a script gives one permit too many', 'permits'],
    ['a late call takes permits for who has ended', 'ghost'],
    ['who says who it is counts twice', 'latch'],
    ['a leader is told after it has resigned', 'loss told late'],
    ['a value stays for ever', 'share'],
    ['a node that has forgotten its locks votes at once', 'exclusion', 9],
    ['what a run left open is free at once', 'scope'],
    ['an owner waits for its own hold', 'reentry'],
    ['circles of three are not seen', 'deadlock', 3],
    ['a reader behind a writer waits for nobody', 'deadlock', 46],
    ['a write under an older token is done', 'guard', 7],
    ['a hash of others is taken for a lock', 'stranger'],
    ['a waiter whose entry says more is passed over', 'line', 2],
    ['a second grant is believed', 'exclusion', 4],
    ['a copy of a nested call counts', 'record'],
    ['who is gone is given the lock', 'line', 2],
    ['one level more than the limit', 'limit'],
    ['a reader joins past a writer that waits', 'order', 2],
    ['the call of a process that came last is served first', 'order'],
    ['a process passes a lock on among its tasks for ever', 'turn', 2],
    ['who waits for its own process waits beyond its time', 'late'],
    ['a hold is believed for a moment longer than its lease', 'lease'],
  ])(
    '%s',
    async (name, rule, from = 1) => {
      expect(await verdictOn(name, from)).toMatch(`found  ${name}: ${rule} (`);
    },
    PATIENCE_MS,
  );
});
