/** Permits whose lease has ended: what tells Redisson's clients of those with ids, and how those of Redisson's expirable semaphore come back. */
import { direct, ErrorReply, memoryRedis, MemoryServer } from '@holdfast/memory';
import { luaScripts } from '@holdfast/memory/lua';
import { guardLeaks, ManualClock, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, RPermitExpirableSemaphore } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { turns } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;
const LEASE_MS = 1_000;
const TOTAL = 3;
const NEVER_OF_REDISSON = '92233720368547758';

/** A server, what its counter says, and what Redisson's clients hear. `rate`: of its clock. `scripts`: what it runs in place of its own rules. */
async function setUp(rate = 1, scripts?: ReturnType<typeof luaScripts>) {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + rate * clock.now(), ...(scripts && { scripts }) });
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
  const connection = server.accept({ receive: () => undefined, hungUp: () => undefined });
  const heard: string[] = [];
  java.on('message', (_: string, message: string) => heard.push(message));
  const counter = redis();
  leaks.cleanup(() => counter.disconnect());
  await counter.connect();
  await java.subscribe('redisson_sc:{seats}');
  const open = (wakeup: 'queue' | 'redisson' = 'queue'): { client: LockClient; pool: RPermitExpirableSemaphore } => {
    const surroundings = {
      ...systemSurroundings(),
      clock,
      openRedis: () => ({ kind: 'node' as const, redis: redis(), ownership: 'ours' as const }),
    };
    const client = createLockClientIn(surroundings, { redis: 'redis://memory', wakeup });
    leaks.cleanup(() => client.close());
    return { client, pool: client.getPermitExpirableSemaphore('seats', { permits: TOTAL }) };
  };
  return {
    open,
    heard,
    free: async () => Number(await counter.get('seats')),
    /** A client of Redisson's takes a permit, which it never gives back; `undefined`: for ever. */
    javaTakes: async (id: string, leaseMs: number | undefined) => {
      connection.execute(['set', 'seats', `${Number(await counter.get('seats')) - 1}`]);
      const endsAt = leaseMs === undefined ? NEVER_OF_REDISSON : EPOCH_MS + clock.now() + leaseMs;
      connection.execute(['zadd', '{seats}:timeout', `${endsAt}`, id]);
    },
    deleteCounter: () => connection.execute(['del', 'seats']),
    javas: () => server.keysOf().sortedSet('{seats}:timeout')?.range(0, -1) ?? [],
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
    const begun = `${TOTAL - 2}`;
    expect([await free(), heard]).toEqual([TOTAL - 2, [begun]]);
    await pass(1.2 * LEASE_MS);
    expect([await free(), heard]).toEqual([TOTAL - 1, [begun, `${TOTAL - 1}`]]);
  });

  it('are forgotten when they have been given back: a call that is remembered for a failover keeps none of them', async () => {
    const { open } = await setUp();
    const { pool } = open();
    const acquired = async () => {
      const ids = await pool.acquireMany(TOTAL);
      await pool.release(ids);
      return new WeakRef(ids);
    };
    const ids = await acquired();
    await waitUntil(
      () => {
        globalThis.gc?.();
        return ids.deref() === undefined;
      },
      { what: 'the ids are forgotten' },
    );
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

describe.each([
  ['by the rules of the memory server', undefined],
  ['by the scripts', luaScripts()],
])("permits of Redisson's expirable semaphore whose lease has ended, %s,", (_, scripts) => {
  it.each(['queue', 'redisson'] as const)(
    'are had by who waits as soon as it has ended, without a call of Redisson: %s',
    async (wakeup) => {
      const { open, heard, free, pass, javaTakes, javas } = await setUp(1, scripts);
      const { client, pool } = open(wakeup);
      await pool.trySetPermits(TOTAL);
      await javaTakes('j1', LEASE_MS);
      await javaTakes('j2', 2 * LEASE_MS);
      await javaTakes('j3', undefined);
      const byId = pool.tryAcquire(60_000);
      await pass(10);
      const hold = client.getSemaphore('seats').tryAcquire(1, 60_000);
      await pass(LEASE_MS - 30);
      expect(javas()).toEqual(['j1', 'j2', 'j3']);
      await pass(50);
      const first = await Promise.race([byId, hold]);
      expect([await free(), javas()]).toEqual([0, ['j2', 'j3']]);
      await pass(LEASE_MS);
      expect([first, await byId, await hold]).not.toContain(null);
      expect([await free(), javas(), heard.filter((message) => message !== `${TOTAL}`)]).toEqual([0, ['j3'], []]);
    },
  );

  it('count as free, and are told to Redisson by the next command that finds them', async () => {
    const { open, heard, free, pass, javaTakes, javas } = await setUp(1, scripts);
    const { pool } = open();
    await pool.trySetPermits(TOTAL);
    await javaTakes('j1', LEASE_MS);
    await javaTakes('j2', 5 * LEASE_MS);
    const counts = async () => [await pool.availablePermits(), await pool.acquiredPermits(), await pool.getPermits()];
    expect(await counts()).toEqual([1, 2, TOTAL]);
    await pass(LEASE_MS);
    expect(await counts()).toEqual([2, 1, TOTAL]);
    expect(await pool.inspect()).toMatchObject({ permits: TOTAL, available: 2, foreign: 1 });
    expect(await free()).toBe(1);
    heard.length = 0;
    expect(await pool.tryAcquireMany(TOTAL)).toEqual([]);
    expect([await free(), javas(), heard]).toEqual([2, ['j2'], ['2']]);
  });

  it('count no more when the semaphore has begun anew', async () => {
    const { open, free, pass, javaTakes, deleteCounter } = await setUp(1, scripts);
    const { client, pool } = open();
    await pool.trySetPermits(TOTAL);
    await javaTakes('j1', LEASE_MS);
    await javaTakes('j2', 5 * LEASE_MS);
    await pass(2 * LEASE_MS);
    deleteCounter();
    await pool.trySetPermits(TOTAL);
    expect(await client.getSemaphore('seats').tryAcquire(TOTAL + 1)).toBeNull();
    expect([await free(), await pool.getPermits()]).toEqual([TOTAL, TOTAL]);
  });
});
