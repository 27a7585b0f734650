/** The name of a client that Redis refuses to keep: it is tried again at the usual rhythm, and told once for each spell of trouble. */
import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import type { LockClientOptions } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { turns } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;
const TTL_MS = 12_000;

function setUp() {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
  const open = (options: Partial<LockClientOptions> = {}) => {
    const redis = memoryRedis({ network: direct(() => server), timers: clock }, { lazyConnect: true });
    const openRedis = () => ({ kind: 'node', redis, ownership: 'ours' }) as const;
    const client = createLockClientIn(
      { ...systemSurroundings(), clock, openRedis },
      { redis: 'redis://memory', watchdogTimeoutMs: TTL_MS, ...options },
    );
    leaks.cleanup(() => client.close());
    return client;
  };
  const named = open({ clientName: 'billing' });
  const stranger = open();
  const told: Error[] = [];
  named.on('error', (error) => void told.push(error as Error));
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      await clock.advance(10);
      await turns();
    }
  };
  const nameSeen = async () => (await stranger.inspect('it')).owner?.client?.name;
  return { server, named, told, pass, nameSeen };
}

describe.each([
  ['a server that is full', { code: 'OOM' }],
  ['a right that is missing', { code: 'NOPERM', commands: ['set'] }],
] as const)('%s', (_, trouble) => {
  it('takes the name of a client away for as long as it lasts, and is told once for each time', async () => {
    const { server, named, told, pass, nameSeen } = setUp();
    const hold = await named.getLock('it').acquire();
    await pass(1_000);
    expect(await nameSeen()).toBe('billing');
    for (const times of [1, 2]) {
      const admit = server.refuse(trouble);
      await pass(2 * TTL_MS);
      expect(await nameSeen()).toBeUndefined();
      expect(told.map(({ message }) => message)).toEqual(
        Array.from({ length: times }, () => expect.stringMatching(`keep the name of this client.*${trouble.code}`)),
      );
      admit();
      await pass(TTL_MS / 2);
      expect(await nameSeen()).toBe('billing');
    }
    expect(hold.state).toBe('held');
    await hold.release();
  });
});

it('a right that was never there costs a question in each third of the TTL, and is told once', async () => {
  const { server, named, told, pass, nameSeen } = setUp();
  const admit = server.refuse({ code: 'NOPERM', commands: ['set'] });
  const executed = jest.spyOn(server, 'execute');
  const hold = await named.getLock('it').acquire();
  await pass(5 * TTL_MS);
  const tries = executed.mock.calls.filter(([, [command]]) => command === 'set').length;
  expect([15, 16]).toContain(tries);
  expect(told).toHaveLength(1);
  admit();
  await pass(TTL_MS / 2);
  expect(await nameSeen()).toBe('billing');
  await hold.release();
});
