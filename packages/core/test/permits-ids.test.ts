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
