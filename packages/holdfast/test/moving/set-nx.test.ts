/** What docs/moving/from-set-nx.md says of a lock by `SET NX` while old and new processes run on one name. */
import { useRedis, waitUntil } from '@holdfast/testkit';
import { expect, it } from '@jest/globals';
import { LockRefusedError } from 'holdfast';
import Redlock from 'holdfast/redlock';
import { Redis } from 'ioredis';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { unlock } from './guide.js';

const kit = useRedis();

function connect(): Redis {
  const redis = new Redis(kit.server.url, { disconnectTimeout: 50 });
  kit.cleanup(() => redis.disconnect());
  return redis;
}

it('a lock by SET NX is waited for by holdfast/redlock, refused by getLock, and neither touches it', async () => {
  const name = freshName();
  await kit.admin.set(name, 'old', 'PX', 60_000, 'NX');
  const redlock = new Redlock([connect()], { retryCount: 600, retryDelay: 20 });
  let asked = 0;
  redlock.on('error', () => asked++);
  const waiting = redlock.acquire([name], 60_000);
  await waitUntil(() => asked > 1, { what: 'it is asked for again' });
  expect(await failureOf(openClient(kit).getLock(name).acquire())).toBeInstanceOf(LockRefusedError);
  expect(await kit.admin.get(name)).toBe('old');
  expect(await kit.admin.eval(unlock, 1, name, 'old')).toBe(1);
  await (await waiting).release();
});

it('SET NX finds a lock of holdfast taken, and a late release by its script deletes nothing', async () => {
  const name = freshName();
  const hold = await openClient(kit).getLock(name).acquire();
  expect(await kit.admin.set(name, 'old', 'PX', 60_000, 'NX')).toBeNull();
  expect(String(await failureOf(kit.admin.eval(unlock, 1, name, 'old')))).toContain('WRONGTYPE');
  expect(await kit.admin.exists(name)).toBe(1);
  await hold.release();
  expect(await kit.admin.set(name, 'old', 'PX', 60_000, 'NX')).toBe('OK');
  await kit.admin.del(name);
});
