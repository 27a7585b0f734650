/** Renewals that Redis refuses: what it has answered is told while they are tried again, and with the loss that comes of it. */
import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient, LockLostError, PermitHold } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { redlockMemoryWorld } from '../family/redlock-memory-world.js';
import { failureOf } from '../support/outcomes.js';
import { turns } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;
const LEASE_MS = 3_000;

function setUp() {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
  const redis = memoryRedis({ network: direct(() => server), timers: clock }, { lazyConnect: true });
  const openRedis = () => ({ kind: 'node', redis, ownership: 'ours' }) as const;
  const client = createLockClientIn(
    { ...systemSurroundings(), clock, openRedis },
    { redis: 'redis://memory', watchdogTimeoutMs: LEASE_MS },
  );
  leaks.cleanup(() => client.close());
  const told: Error[] = [];
  client.on('error', (error) => void told.push(error as Error));
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      await clock.advance(10);
      await turns();
    }
  };
  return { client, server, told, pass };
}

const kinds: [title: string, acquire: (client: LockClient) => Promise<Hold | PermitHold>][] = [
  ['a lock', (client) => client.getLock('it').acquire()],
  ['a read lock', (client) => client.getReadWriteLock('it').readLock().acquire()],
  ['a write lock', (client) => client.getReadWriteLock('it').writeLock().acquire()],
  ['permits', (client) => client.getSemaphore('it', { permits: 2 }).acquire(1)],
];
const troubles: [code: string, refuse: (server: MemoryServer) => () => void][] = [
  ['READONLY', (server) => server.refuse({ code: 'READONLY' })],
  ['MISCONF', (server) => server.refuse({ code: 'MISCONF' })],
  ['NOPERM', (server) => server.refuse({ code: 'NOPERM', commands: ['evalsha', 'eval'] })],
  ['NOPERM', (server) => server.refuse({ code: 'NOPERM', commands: ['pexpire', 'hset'] })],
];

describe.each(kinds)('of %s', (_, acquire) => {
  it.each(troubles)(
    'the answer %s is told while they are tried again, and is the cause of the loss',
    async (code, refuse) => {
      const { client, server, told, pass } = setUp();
      const hold = await acquire(client);
      const admit = refuse(server);
      await pass(LEASE_MS / 2);
      expect(hold.state).toBe('suspect');
      expect(told.map(({ message }) => message)).toEqual([expect.stringMatching(`renewals at .*${code}`)]);
      await pass(LEASE_MS);
      expect(hold.signal.reason).toMatchObject({
        reason: 'unreachable',
        message: expect.stringMatching(`Redis refused its renewals: ${code}\\)$`),
        cause: expect.objectContaining({ message: expect.stringContaining(code) }),
      });
      // Each of them was one more refusal.
      expect(told).toHaveLength(1);
      admit();
      await pass(LEASE_MS);
    },
  );
});

const passing = ['BUSY', 'CLUSTERDOWN', 'MASTERDOWN'] as const;
it.each(passing)('the answer %s to each of them is the cause of the loss, and told by nothing else', async (code) => {
  const { client, server, told, pass } = setUp();
  const hold = await client.getLock('it').acquire();
  const admit = server.refuse({ code });
  await pass(2 * LEASE_MS);
  expect(hold.signal.reason).toMatchObject({
    reason: 'unreachable',
    message: expect.stringMatching(`Redis refused its renewals: ${code}\\)$`),
    cause: expect.objectContaining({ message: expect.stringContaining(code) }),
  });
  expect(told).toEqual([]);
  admit();
  await pass(LEASE_MS);
});

const slow = ['BUSY', 'CLUSTERDOWN'] as const;
it.each(slow)(
  'the answer %s to a release is its cause when the lease ends meanwhile, which is no loss',
  async (code) => {
    const { client, server, pass } = setUp();
    const hold = await client.getLock('it').acquire();
    const admit = server.refuse({ code });
    const failure = failureOf(hold.release());
    await pass(1.5 * LEASE_MS);
    admit();
    await pass(LEASE_MS);
    expect(await failure).toMatchObject({
      code: 'LOCK_UNAVAILABLE',
      message: expect.stringContaining(`Redis refused to answer about lock "it": ${code}`),
      cause: expect.objectContaining({ message: expect.stringContaining(code) }),
    });
  },
);

/** Its connections break, and none can be made: from here on no renewal is answered. */
async function expectLossInSilence({ server, pass }: ReturnType<typeof setUp>, hold: Hold) {
  server.hangUp();
  const admit = server.refuse({ code: 'BUSY' });
  await pass(2 * LEASE_MS);
  const { message, cause } = hold.signal.reason as LockLostError;
  expect(message).toContain('Redis answered no renewal');
  expect(cause).toBeUndefined();
  admit();
  await pass(LEASE_MS);
}

it('a refusal that has passed is not what a later loss is blamed on', async () => {
  const room = setUp();
  const { client, server, pass } = room;
  const hold = await client.getLock('it').acquire();
  const admit = server.refuse({ code: 'READONLY' });
  await pass(0.8 * LEASE_MS);
  expect(hold.state).toBe('suspect');
  admit();
  await pass(LEASE_MS);
  expect(hold.state).toBe('held');
  await expectLossInSilence(room, hold);
});

const before: [code: string, refuse: (server: MemoryServer) => () => void][] = [
  ['BUSY', (server) => server.refuse({ code: 'BUSY' })],
  ['READONLY', (server) => server.refuse({ code: 'READONLY' })],
  ['NOPERM', (server) => server.refuse({ code: 'NOPERM', commands: ['evalsha', 'eval'] })],
];
it.each(before)('the answer %s is not what a loss is blamed on when silence followed it', async (_, refuse) => {
  const room = setUp();
  const { client, server, pass } = room;
  const hold = await client.getLock('it').acquire();
  const admit = refuse(server);
  await pass(LEASE_MS / 2);
  admit();
  await expectLossInSilence(room, hold);
});

describe('by majority', () => {
  const world = redlockMemoryWorld(3);

  it('they are told of each node that refuses, and the loss has the answer of the one that broke the majority', async () => {
    const client = world.open({ watchdogTimeoutMs: LEASE_MS });
    const told: Error[] = [];
    client.on('error', (error) => void told.push(error as Error));
    const hold = await world.outcome(client.getRedLock('it').acquire());
    const admits = [0, 1].map((node) => world.servers[node]?.refuse({ code: 'READONLY' }));
    await world.pass(2 * LEASE_MS);
    for (const node of [0, 1])
      expect(told.map(({ message }) => message)).toContainEqual(
        expect.stringMatching(`renewals at node-${node}.*READONLY`),
      );
    expect(hold.signal.reason).toMatchObject({
      reason: 'unreachable',
      cause: expect.objectContaining({ message: expect.stringContaining('READONLY') }),
    });
    for (const admit of admits) admit?.();
    await world.pass(LEASE_MS);
  });
});
