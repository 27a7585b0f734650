/** Permits with ids whose lease has ended: the client that set it gives them back, for a client of Redisson's that waits does not look by itself. */
import { direct, ErrorReply, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, RPermitExpirableSemaphore } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { turns } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;
const LEASE_MS = 1_000;
const TOTAL = 3;

/** A server, what its counter says, and what Redisson's clients hear. `rate`: of its clock. */
async function setUp(rate = 1) {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + rate * clock.now() });
  const run = server.execute.bind(server);
  let commands = 0;
  server.execute = (connection, request) => {
    const reply = run(connection, request);
    // A script that it does not know yet is sent in full.
    if (/^eval/i.test(request[0] ?? '') && !(reply instanceof ErrorReply)) commands++;
    return reply;
  };
  const redis = () =>
    memoryRedis({ network: direct(() => server), timers: clock }, { lazyConnect: true, enableOfflineQueue: false });
  const java = redis();
  leaks.cleanup(() => java.disconnect());
  await java.connect();
  const heard: string[] = [];
  java.on('message', (_: string, message: string) => heard.push(message));
  const counter = redis();
  leaks.cleanup(() => counter.disconnect());
  await counter.connect();
  await java.subscribe('redisson_sc:{seats}');
  const open = (): { client: LockClient; pool: RPermitExpirableSemaphore } => {
    const surroundings = {
      ...systemSurroundings(),
      clock,
      openRedis: () => ({ kind: 'node' as const, redis: redis(), ownership: 'ours' as const }),
    };
    const client = createLockClientIn(surroundings, { redis: 'redis://memory' });
    leaks.cleanup(() => client.close());
    return { client, pool: client.getPermitExpirableSemaphore('seats', { permits: TOTAL }) };
  };
  return {
    open,
    heard,
    free: async () => Number(await counter.get('seats')),
    /** How many commands were sent while so much time passed. */
    pass: async (ms: number): Promise<number> => {
      const before = commands;
      for (let passed = 0; passed < ms; passed += 10) {
        await clock.advance(10);
        await turns();
      }
      return commands - before;
    },
  };
}

describe('permits with ids', () => {
  it('are back at the end of their lease, and Redisson is told, though nobody acquires', async () => {
    const { open, heard, free, pass } = await setUp();
    await open().pool.acquireMany(TOTAL, LEASE_MS);
    await pass(LEASE_MS - 10);
    expect([await free(), heard]).toEqual([0, []]);
    expect(await pass(50)).toBe(1);
    expect([await free(), heard]).toEqual([TOTAL, [`${TOTAL}`]]);
    expect(await pass(10 * LEASE_MS)).toBe(0);
  });

  it('are back too where the clock of Redis is slower by 1 %', async () => {
    const { open, free, pass } = await setUp(1 / 1.01);
    await open().pool.acquire(10 * LEASE_MS);
    expect(await pass(11 * LEASE_MS)).toBe(1);
    expect(await free()).toBe(TOTAL);
  });

  it('cost no command at the end of the lease when they were given back, through whatever handle', async () => {
    const { open, free, pass } = await setUp();
    const { client, pool } = open();
    const ids = await pool.acquireMany(TOTAL, LEASE_MS);
    await client.getPermitExpirableSemaphore('seats').release(ids.slice(0, 1));
    await pool.tryRelease(ids.slice(1));
    expect(await pass(10 * LEASE_MS)).toBe(0);
    expect(await free()).toBe(TOTAL);
  });

  it('are back when some of those that were acquired together were given back', async () => {
    const { open, free, pass } = await setUp();
    const { pool } = open();
    const [first = ''] = await pool.acquireMany(TOTAL, LEASE_MS);
    await pool.release(first);
    expect(await pass(2 * LEASE_MS)).toBe(1);
    expect(await free()).toBe(TOTAL);
  });

  it('are back at the end of the lease that was set last, whoever set it', async () => {
    const { open, heard, free, pass } = await setUp();
    const [one, two] = [open(), open()];
    const [first = '', second = ''] = await one.pool.acquireMany(2, LEASE_MS);
    await one.pool.updateLeaseTime(first, 'never');
    await two.pool.updateLeaseTime(second, 3 * LEASE_MS);
    await pass(2 * LEASE_MS);
    expect([await free(), heard]).toEqual([TOTAL - 2, []]);
    await pass(1.2 * LEASE_MS);
    expect([await free(), heard]).toEqual([TOTAL - 1, [`${TOTAL - 1}`]]);
  });

  it('are left to others by a client that was closed, and those without an end cost nothing', async () => {
    const { open, free, pass } = await setUp();
    const [one, two] = [open(), open()];
    await one.pool.acquire(LEASE_MS);
    await two.pool.acquire('never');
    await one.client.close();
    expect(await pass(10 * LEASE_MS)).toBe(0);
    expect(await free()).toBe(TOTAL - 2);
    await two.pool.acquireMany(2);
    expect(await free()).toBe(0);
  });
});
