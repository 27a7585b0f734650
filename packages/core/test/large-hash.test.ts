/** What stands under a lock's name may be large: an application's data, or a lock that many of Redisson's readers share. */
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LEASE, lockOn } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';
import { almost } from './support/matchers.js';

const server = useLockServer();
const lock = lockOn(server);
const { keys } = lock;

const fill = (many: number, field: (n: number) => [string, string]) =>
  server.redis.hset(keys.lock, Object.fromEntries(Array.from({ length: many }, (_, n) => field(n))));

/** How often the server executed each command on hashes, inside scripts too. */
async function hashReads(work: () => Promise<unknown>): Promise<Record<string, number>> {
  await server.redis.config('RESETSTAT');
  await work();
  const stats = await server.redis.info('commandstats');
  return Object.fromEntries(
    [...stats.matchAll(/^cmdstat_(h\w+):calls=(\d+)/gm)].map(([, command, count]) => [command, Number(count)]),
  );
}

it("an application's hash of 100,000 fields is refused by every call, which never reads it whole", async () => {
  server.expectLasting(keys.lock);
  await fill(100_000, (n) => [`customer ${n}`, `Ada ${n}`]);
  await lock.peek('warm:1').catch(() => undefined);
  const calls = [
    () => lock.ask('a:1'),
    () => lock.ask('a:1', { freshMs: 0 }),
    () => lock.force('f:1'),
    () => lock.inspect(),
    () => lock.peek('a:1'),
  ];
  // As it is; then with what a lock has, one after the other.
  for (const more of [{}, { mode: 'read' }, { seq: '7' }, { 'a:1': '1' }]) {
    if (Object.keys(more).length > 0) await server.redis.hset(keys.lock, more);
    const size = await server.redis.hlen(keys.lock);
    for (const call of calls) {
      const reads = await hashReads(() => expect(call()).rejects.toThrow(/^NOTALOCK /));
      expect(reads).toEqual({ hlen: 1, hscan: 1, hmget: 1 });
    }
    expect(await server.redis.hlen(keys.lock)).toBe(size);
  }
});

describe("a lock that 5,000 of Redisson's readers share", () => {
  const reader = (n: number) => `0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:${n}`;
  beforeEach(async () => {
    await fill(5_000, (n) => [reader(n), '1']);
    await server.redis.hset(keys.lock, 'mode', 'read');
    await server.redis.pexpire(keys.lock, LEASE);
  });
  afterEach(() => server.redis.del(keys.lock));

  it('is waited for as any lock of Redisson, and never read whole', async () => {
    const reads = await hashReads(async () => {
      expect(await lock.ask('a:1')).toMatchObject({ kind: 'wait', position: 0, foreign: true });
      expect(await lock.ask('b:1', { freshMs: 0 })).toMatchObject({ kind: 'busy', foreign: true });
      expect(await lock.peek('a:1')).toEqual({ locked: true, holdCount: 0, remainingMs: almost(LEASE) });
      const { owner } = await lock.inspect();
      expect(owner).toMatchObject({ id: expect.stringMatching(/^0b8f1c5e-/), holdCount: 1, foreign: true });
    });
    expect(reads).toMatchObject({ hlen: 4, hscan: 4 });
    // The queue's own entries, which `inspect` lists.
    expect(reads['hgetall'] ?? 0).toBe(1);
  });

  it('is unlocked by force', async () => {
    expect(await lock.force('f:1')).toMatchObject({ kind: 'forced', ownerBefore: expect.stringMatching(/^0b8f1c5e-/) });
    expect(await server.redis.exists(keys.lock)).toBe(0);
  });

  it('is still ours when they have joined a hold of ours', async () => {
    await server.redis.hset(keys.lock, 'a:1', '2', 'seq', '5');
    expect(await lock.ask('a:1')).toMatchObject({ kind: 'mine', holdCount: 2, seq: 5 });
    expect(await lock.peek('a:1')).toMatchObject({ holdCount: 2 });
    expect(await lock.ask('b:1')).toMatchObject({ kind: 'wait', foreign: false });
    expect(await lock.inspect()).toMatchObject({ seq: 5 });
    expect(await lock.release('a:1', 6)).toEqual({ kind: 'held', holdCount: 1 });
  });

  it('is no lock any more with a field that no lock has', async () => {
    await server.redis.hset(keys.lock, 'mode', 'no word of a lock');
    await expect(lock.ask('a:1')).rejects.toThrow(/^NOTALOCK /);
  });
});

it.each([127, 128, 129])('a read lock with %d readers is one, whatever its size', async (many) => {
  await fill(many, (n) => [`0b8f1c5e-7a52-4f0e-9a3b-5d1c8f2e4a60:${n}`, '1']);
  await server.redis.hset(keys.lock, 'mode', 'read');
  await server.redis.pexpire(keys.lock, LEASE);
  expect(await lock.ask('a:1')).toMatchObject({ kind: 'wait', foreign: true });
});
