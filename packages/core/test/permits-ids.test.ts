import { describe, expect, it } from '@jest/globals';
import { permits, run, semaphoreKeys } from '../src/index.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const keys = semaphoreKeys('stock');
const LEASE_MS = 60_000;
const TOMBSTONE_MS = 10_000;
const granting = { claimMs: 3_000, trust: false };

/** Two permits of tenure a:1, of three. */
async function taken(): Promise<void> {
  server.expectLasting(keys.count, keys.permits);
  await server.redis.set(keys.count, 3);
  const times = { leaseMs: LEASE_MS, freshMs: 0, freshTtlMs: LEASE_MS };
  await run(server.port, permits.ask(keys, { tenure: 'a:1', wanted: 2, initial: 0, ticket: 0, ...times, ...granting }));
}

const issue = (...ids: string[]) =>
  run(server.port, permits.issue(keys, { tenure: 'a:1', ids, leaseMs: LEASE_MS, tombstoneMs: TOMBSTONE_MS }));
const takeBack = (request: string, ...ids: string[]) =>
  run(server.port, permits.takeBack(keys, { request, ids, tombstoneMs: TOMBSTONE_MS, ...granting }));
const free = async () => Number(await server.redis.get(keys.count));

describe('the ids of one command', () => {
  const idsOf = (count: number) => Array.from({ length: count }, (_, index) => `i:${index}`);
  const issuing = (ids: readonly string[]) => () =>
    permits.issue(keys, { tenure: 'a:1', ids, leaseMs: LEASE_MS, tombstoneMs: TOMBSTONE_MS });

  it('are a thousand at most, and at least one', () => {
    expect(issuing(idsOf(1_000))).not.toThrow();
    for (const count of [0, 1_001]) expect(issuing(idsOf(count))).toThrow(RangeError);
  });

  it('are different ones: the same one twice would be one permit in the place of two', () => {
    expect(issuing(['i:1', 'i:2', 'i:1'])).toThrow(RangeError);
  });
});

describe('a copy of the command that issues ids', () => {
  it('is answered as the first while their leases last', async () => {
    await taken();
    const first = await issue('i:1', 'i:2');
    expect(first).toMatchObject({ kind: 'issued' });
    expect(await issue('i:1', 'i:2')).toEqual(first);
    expect(await free()).toBe(1);
  });

  it('says that they are lost when their leases have ended', async () => {
    await taken();
    await issue('i:1', 'i:2');
    await server.redis.hset(keys.permits, 'i:1', '1 1', 'i:2', '1 1');
    expect(await issue('i:1', 'i:2')).toMatchObject({ kind: 'lost' });
  });
});

it('ids are given back all together or not at all', async () => {
  await taken();
  await issue('i:1', 'i:2');
  expect(await takeBack('r:1', 'i:1', 'i:3')).toMatchObject({ returned: 0 });
  expect(await free()).toBe(1);
  expect(await takeBack('r:2', 'i:1', 'i:2')).toMatchObject({ returned: 2 });
  expect(await takeBack('r:2', 'i:1', 'i:2')).toMatchObject({ returned: 2 });
  expect(await free()).toBe(3);
});

describe('permits with ids that a tenure adopts', () => {
  const adopt = (tenure: string, ...ids: string[]) =>
    run(server.port, permits.adopt(keys, { tenure, ids, leaseMs: LEASE_MS }));
  const release = (tenure: string, tombstoneMs = 0) =>
    run(server.port, permits.release(keys, { tenure, tombstoneMs, ...granting }));

  it('are its own from then on, and the ids stand for nothing', async () => {
    await taken();
    await issue('i:1', 'i:2');
    expect(await adopt('b:1', 'i:1', 'i:2')).toMatchObject({ kind: 'acquired', remainingMs: LEASE_MS });
    expect(await adopt('c:1', 'i:1')).toMatchObject({ kind: 'busy' });
    expect(await takeBack('r:1', 'i:2')).toMatchObject({ returned: 0 });
    expect(await free()).toBe(1);
    await release('b:1');
    expect(await free()).toBe(3);
  });

  it('are all adopted or none', async () => {
    await taken();
    await issue('i:1', 'i:2');
    expect(await adopt('b:1', 'i:1', 'i:3')).toMatchObject({ kind: 'busy' });
    expect(await takeBack('r:1', 'i:1', 'i:2')).toMatchObject({ returned: 2 });
  });

  it('are not adopted when their lease has ended, nor when their semaphore has gone', async () => {
    await taken();
    await issue('i:1', 'i:2');
    await server.redis.hset(keys.permits, 'i:1', '1 1');
    expect(await adopt('b:1', 'i:1')).toMatchObject({ kind: 'busy' });
    await server.redis.del(keys.count);
    expect(await adopt('b:1', 'i:2')).toMatchObject({ kind: 'busy' });
  });

  it('are not several that a tenure has by its own id, but one, as that can be given back', async () => {
    await taken();
    expect(await adopt('b:1', 'a:1')).toMatchObject({ kind: 'busy' });
    await run(server.port, permits.shrink(keys, { tenure: 'a:1', left: 1, ...granting }));
    expect(await adopt('b:1', 'a:1')).toMatchObject({ kind: 'acquired' });
    expect(await takeBack('r:1', 'a:1')).toMatchObject({ returned: 0 });
  });

  it('stay with it when a copy comes, and do not come to a tenure that was cancelled before', async () => {
    await taken();
    await issue('i:1', 'i:2');
    await adopt('b:1', 'i:1');
    expect(await adopt('b:1', 'i:1')).toMatchObject({ kind: 'mine' });
    await release('c:1', TOMBSTONE_MS);
    expect(await adopt('c:1', 'i:2')).toMatchObject({ kind: 'dead' });
    expect(await takeBack('r:1', 'i:2')).toMatchObject({ returned: 1 });
  });

  it('have a lease that ends with the semaphore', async () => {
    await taken();
    await issue('i:1', 'i:2');
    await server.redis.pexpire(keys.count, 20_000);
    const adopted = await adopt('b:1', 'i:1');
    expect(adopted.kind === 'acquired' && adopted.remainingMs).toBeLessThanOrEqual(20_000);
  });
});
