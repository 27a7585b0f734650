/** The rights that locks by majority need: those of docs/security.md on each node, and INFO among them. */

import { guardLeaks, type RedisServer, startPrivateRedis, waitUntil } from '@holdfast/testkit';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, jest } from '@jest/globals';
import { createRedLockClient, LockUnavailableError } from 'holdfast';
import { allowedName } from '../support/access-round.js';
import { createUser, type Grant, password, refusedTo } from '../support/acl-rules.js';
import { failureOf } from '../support/outcomes.js';

let servers: RedisServer[] = [];
beforeAll(async () => {
  servers = await Promise.all([1, 2, 3].map(() => startPrivateRedis()));
  await Promise.all(servers.map((server) => server.admin()));
}, 60_000);
afterAll(async () => void (await Promise.all(servers.map((server) => server.stop()))));

const leaks = guardLeaks();
// Without INFO ioredis says on the console that it cannot check whether the server is loading.
beforeEach(() => void jest.spyOn(console, 'warn').mockImplementation(() => undefined));
afterEach(() => void jest.restoreAllMocks());

/** A client of a user that has the rights of the page on each node, or all but one of them. */
async function openAs(username: string, missing?: Grant) {
  for (const server of servers) await createUser(await server.admin(), username, 'locks', missing);
  const client = createRedLockClient({
    nodes: servers.map(({ host, port }) => ({ host, port, username, password })),
    ...{ watchdogTimeoutMs: 600, attemptTimeoutMs: 1_000, responseTimeoutMs: 5_000 },
  });
  leaks.cleanup(() => client.close());
  return client;
}

it('those on the page are enough: a lock is taken, waited for, renewed and given back, and no node has refused anything', async () => {
  const [mine, theirs] = [await openAs('enough'), await openAs('enough')];
  await Promise.all([mine, theirs].map((client) => client.connect({ timeoutMs: 30_000 })));
  const name = allowedName();
  const hold = await mine.getRedLock(name).acquire();
  const next = theirs.getRedLock(name).acquire();
  await waitUntil(() => mine.stats().renewals.renewed >= 3, { what: 'renewals', timeoutMs: 30_000 });
  await hold.release();
  await (await next).release();
  expect(await theirs.getRedLock(name).isLocked()).toBe(false);
  for (const server of servers) expect(await refusedTo(await server.admin(), 'enough')).toEqual([]);
  // That one is for operators.
  expect(await failureOf(theirs.getRedLock(name).forceUnlock())).toMatchObject({
    code: 'LOCK_REFUSED',
    redisCode: 'NOPERM',
  });
}, 60_000);

it('without INFO no node counts, and the error says which right is missing', async () => {
  const client = await openAs('blind', '+info');
  const error = await failureOf(client.connect({ timeoutMs: 1_000 }));
  expect(error).toBeInstanceOf(LockUnavailableError);
  expect(String(error)).toMatch(/INFO cannot be read \(NOPERM/);
  expect(client.nodes.map(({ state }) => state)).toEqual(['unreadable', 'unreadable', 'unreadable']);
}, 60_000);
