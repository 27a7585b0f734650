import { describe, expect, it } from '@jest/globals';
import * as core from '../src/index.js';
import { lockOn } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';

/** The scripts check their numbers themselves: Redis does not roll back, and a bad lease must not make a lock immortal. */
const server = useLockServer();
const lock = lockOn(server);
const { keys } = lock;
const granting = { claimMs: 3_000, trust: false };

const commands: [string, core.Command<unknown>][] = [
  ['ask', core.ask(keys, { tenure: 'b:1', leaseMs: 9, freshMs: 9, ticket: 9, freshTtlMs: 9, ...granting })],
  ['again', core.again(keys, { tenure: 'a:1', seq: 2, leaseMs: 9 })],
  ['handoff', core.handoff(keys, { tenure: 'a:1', seq: 2, leaseMs: 9 })],
  ['release', core.release(keys, { tenure: 'a:1', seq: 2, tombstoneMs: 9, ...granting })],
  ['cancel', core.cancel(keys, { tenure: 'a:1', tombstoneMs: 9, end: 'unused', ...granting })],
  ['force', core.force(keys, { request: 'x:1', tombstoneMs: 9, ...granting })],
];

// `trust` is no number for the script: anything but 1 means no.
const numbers = commands.flatMap(([name, command]) =>
  command.args.flatMap((value, index) => (typeof value === 'number' && value > 1 ? [{ name, index, command }] : [])),
);

const hostile = ['', ' ', 'x', 'nan', 'inf', '-inf', '-1', '1.5', '1e400', '9007199254740993', '99999999999999999999'];

describe.each(numbers)('$name with a bad argument $index', ({ command, index }) => {
  it('is refused before the first write', async () => {
    await lock.ask('a:1');
    await lock.ask('c:1');
    const before = await lock.state();
    for (const bad of hostile) {
      const args = command.args.with(index, bad);
      await expect(lock.run({ ...command, args })).rejects.toThrow(/holdfast: ARGV/);
      await expect(lock.run({ ...command, args: args.slice(0, index) })).rejects.toThrow(/holdfast: ARGV/);
    }
    expect(await lock.state()).toEqual(before);
  });
});

it.each(hostile)('renew with lease %j refuses that hold and leaves its TTL alone', async (bad) => {
  await lock.ask('a:1');
  const command = core.renew([{ keys, tenure: 'a:1', leaseMs: 9 }]);
  const { outcomes } = await lock.run({ ...command, args: ['a:1', bad] });
  expect(outcomes).toEqual([{ kind: 'refused', message: expect.stringContaining('leaseMs') }]);
  expect(await lock.pttl()).toBeGreaterThan(9);
});
