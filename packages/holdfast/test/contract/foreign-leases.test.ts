/** Leases that only clients in other languages take: longer than JavaScript can count. */
import { randomUUID } from 'node:crypto';
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, RLock } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { holdfast } from '../cli/terminal.js';

const kit = useRedis();

/** Ten thousand years, in milliseconds. */
const AN_AGE_MS = 10_000 * 365 * 86_400_000;

const handles: Record<string, (client: LockClient, name: string) => RLock> = {
  lock: (client, name) => client.getLock(name),
  fair: (client, name) => client.getFairLock(name),
  spin: (client, name) => client.getSpinLock(name),
  fenced: (client, name) => client.getFencedLock(name),
  write: (client, name) => client.getReadWriteLock(name).writeLock(),
};

/** As of `lock(Long.MAX_VALUE, MICROSECONDS)` in Java, and the longest that Redis takes. */
const leases = ['9223372036854775', '9223370000000000000'];

async function heldByJava(pttl: string): Promise<string> {
  const name = freshName();
  await kit.admin.hset(name, `${randomUUID()}:1`, 1);
  await kit.admin.pexpire(name, pttl);
  return name;
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe.each(leases)('a lock that Java holds for %s ms', (pttl) => {
  it.each(Object.keys(handles))('is held, for a very long time: %s', async (kind) => {
    const name = await heldByJava(pttl);
    const client = openClient(kit);
    const lock = (handles[kind] as (typeof handles)[string])(client, name);
    expect(await lock.tryLock()).toBe(false);
    expect(await lock.tryLock(20)).toBe(false);
    expect(await lock.isLocked()).toBe(true);
    expect(await lock.getHoldCount()).toBe(0);
    expect(await lock.remainTimeToLive()).toBeGreaterThan(AN_AGE_MS);
    expect(await lock.forceUnlock()).toBe(true);
    expect(await lock.isLocked()).toBe(false);
  });

  it('is told with what is left of its lease by whatever tells of locks', async () => {
    const name = await heldByJava(pttl);
    const client = openClient(kit);
    const { owner, remainingMs } = await client.inspect(name);
    expect(owner?.holdCount).toBe(1);
    expect(remainingMs).toBeGreaterThan(AN_AGE_MS);
    const [listed] = await collect(client.listLocks({ match: name }));
    expect(listed?.remainingMs).toBeGreaterThan(AN_AGE_MS);
    for (const args of [
      ['inspect', name],
      ['ls', name],
    ])
      expect(await holdfast(kit, args)).toMatchObject({ code: 0, output: expect.stringMatching(/\d{6,} d/) });
    await kit.admin.del(name);
  });
});
