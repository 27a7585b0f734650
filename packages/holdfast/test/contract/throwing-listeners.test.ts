import { useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { inspect } from 'node:util';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis();

let warn: jest.SpiedFunction<typeof process.emitWarning>;
beforeEach(() => {
  warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
});
afterEach(() => warn.mockRestore());
const warnings = () => warn.mock.calls.map(([warning]) => String(warning));

const thrown: [title: string, value: unknown, told: RegExp][] = [
  ['an error', new Error('mine'), /mine/],
  ['nothing', undefined, /undefined/],
  ['an object without prototype', Object.create(null), /Object: null prototype/],
  ['an object that throws when it is shown', { [inspect.custom]: thrower, toString: thrower }, /cannot be shown/],
  ['a symbol', Symbol('mine'), /Symbol\(mine\)/],
];

function thrower(): never {
  throw new Error('shown');
}

describe.each(thrown)('a listener that throws %s', (_, value, told) => {
  it('keeps no other listener from being told, breaks no call, and is told by a process warning', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    const heard: string[] = [];
    client.on('lost', () => {
      heard.push('the first');
      throw value;
    });
    client.on('lost', () => heard.push('the second'));
    const outer = await lock.acquire();
    const inner = await outer.run(() => lock.acquire());
    expect(await lock.forceUnlock()).toBe(true);
    expect(heard).toEqual(['the first', 'the second', 'the first', 'the second']);
    expect(await failureOf(inner.release())).toMatchObject({ code: 'LOCK_LOST' });
    expect(await failureOf(outer.release())).toMatchObject({ code: 'LOCK_LOST' });
    expect(warnings()).toHaveLength(2);
    for (const warning of warnings()) {
      expect(warning).toMatch(/"lost" event threw/);
      expect(warning).toMatch(told);
    }
  });

  it('in an async listener likewise', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    // oxlint-disable-next-line no-misused-promises -- what applications do
    client.on('lost', async () => {
      throw value;
    });
    const hold = await lock.acquire();
    await lock.forceUnlock();
    await failureOf(hold.release());
    await waitUntil(() => warnings().length === 1, { what: 'the warning' });
    expect(warnings()[0]).toMatch(told);
  });
});
