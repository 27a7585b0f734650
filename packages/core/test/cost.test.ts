import { expect, it } from '@jest/globals';
import { lockOn } from './support/lock.js';
import { useLockServer } from './support/lock-server.js';

const server = useLockServer();
const lock = lockOn(server);

/** What the server executed, inside scripts too. */
async function calls(work: () => Promise<unknown>): Promise<Record<string, number>> {
  await server.redis.config('RESETSTAT');
  await work();
  const stats = await server.redis.info('commandstats');
  const counts: Record<string, number> = {};
  for (const [, command, count] of stats.matchAll(/^cmdstat_([^:]+):calls=(\d+)/gm)) {
    if (command !== undefined && !/^(config|info)/.test(command)) counts[command] = Number(count);
  }
  return counts;
}

async function warmUp() {
  await lock.ask('warm:1');
  await lock.again('warm:1', 2);
  await lock.release('warm:1', 3);
  await lock.release('warm:1', 4);
}

it('an uncontended cycle is two commands and seven inner calls', async () => {
  await warmUp();
  expect(await calls(() => lock.ask('a:1'))).toEqual({ evalsha: 1, exists: 1, hset: 1, pexpire: 1 });
  expect(await calls(() => lock.release('a:1', 2, { trust: true }))).toEqual({
    evalsha: 1,
    hmget: 1,
    exists: 1,
    del: 1,
    publish: 1,
  });
});

it('a nested hold costs two inner calls to take and three to give back', async () => {
  await warmUp();
  await lock.ask('a:1');
  expect(await calls(() => lock.again('a:1', 2))).toEqual({ evalsha: 1, hmget: 1, pttl: 1, hset: 1 });
  expect(await calls(() => lock.release('a:1', 3))).toEqual({ evalsha: 1, hmget: 1, zrem: 1, hset: 1 });
});

it('a first ask costs eleven inner calls, behind a holder and behind other waiters', async () => {
  await warmUp();
  await lock.ask('a:1');
  const looked = { evalsha: 1, hlen: 1, hgetall: 1, time: 1, zadd: 1, hset: 1 };
  expect(await calls(() => lock.ask('b:1'))).toEqual({
    ...looked,
    exists: 1,
    pttl: 1,
    pexpire: 2,
    hdel: 1,
    publish: 1,
  });
  expect(await calls(() => lock.ask('c:1'))).toEqual({ ...looked, exists: 2, pttl: 2, zrank: 1, zcard: 1 });
});

it('a waiter that asks again costs eleven inner calls, and one more for the notice when it is the head', async () => {
  await warmUp();
  await lock.ask('a:1');
  const again = { evalsha: 1, exists: 2, hlen: 1, hgetall: 1, pttl: 2, time: 1, zscore: 1, hdel: 1, hset: 1, zrank: 1 };
  const head = await lock.ask('b:1');
  const second = await lock.ask('c:1');
  for (const reply of [head, second]) expect(reply.kind).toBe('wait');
  const { ticket: first } = head as { ticket: number };
  const { ticket } = second as { ticket: number };
  expect(await calls(() => lock.ask('c:1', { ticket }))).toEqual(again);
  expect(await calls(() => lock.ask('b:1', { ticket: first }))).toEqual({ ...again, publish: 1 });
});

it('a single attempt at a lock that is held costs four inner calls', async () => {
  await warmUp();
  await lock.ask('a:1');
  expect(await calls(() => lock.ask('b:1', { freshMs: 0 }))).toEqual({
    evalsha: 1,
    exists: 1,
    hlen: 1,
    hgetall: 1,
    pttl: 1,
  });
});

it('a release that grants names the next owner in the same command', async () => {
  await warmUp();
  await lock.ask('a:1');
  await lock.ask('b:1');
  await lock.ask('c:1');
  expect(await calls(() => lock.release('a:1', 2))).toEqual({
    evalsha: 1,
    hmget: 1,
    exists: 1,
    del: 1,
    zpopmin: 1,
    time: 1,
    hget: 1,
    hdel: 1,
    hset: 1,
    pexpire: 1,
    zcard: 1,
    publish: 1,
  });
});

it('on one server it looks first whether the next owner listens, which is one inner call more', async () => {
  await warmUp();
  await server.connect().subscribe('holdfast_inbox:b');
  await lock.ask('a:1');
  await lock.ask('b:1');
  await warmUp();
  const trusted = await calls(() => lock.release('a:1', 2, { trust: true }));
  // Redis 6 counts the subcommands of PUBSUB together.
  const looks = 'pubsub' in trusted ? 'pubsub' : 'pubsub|numsub';
  expect(trusted).toMatchObject({ evalsha: 1, [looks]: 1, publish: 1 });
  expect(Object.values(trusted).reduce((sum, count) => sum + count)).toBe(13);
});
