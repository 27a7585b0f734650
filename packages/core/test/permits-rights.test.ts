import { describe, expect, it } from '@jest/globals';
import { type Command, permits, run, semaphoreKeys } from '../src/index.js';
import * as scripts from '../src/permits/scripts.gen.js';
import { calledBy, eachLacking } from './support/lacking.js';
import { scriptPort, useLockServer } from './support/lock-server.js';

const server = useLockServer();
const keys = semaphoreKeys('stock');
const TOTAL = 3;
const times = { leaseMs: 60_000, freshMs: 20_000, freshTtlMs: 30_000 };
const granting = { claimMs: 3_000, trust: false };
const request = { request: 'r:1', tombstoneMs: 10_000, ...granting };

const asking = (tenure: string, wanted: number) =>
  permits.ask(keys, { tenure, wanted, initial: 0, ticket: 0, ...times, ...granting });
const issuing = permits.issue(keys, { tenure: 'a:1', ids: ['i:1', 'i:2'], leaseMs: 60_000, tombstoneMs: 10_000 });
const leaving = (tombstoneMs: number) => permits.release(keys, { tenure: 'a:1', tombstoneMs, ...granting });
const counting = (change: permits.Counting) => permits.count(keys, { change, ...request });

const begun = async () => {
  server.expectLasting(keys.count, keys.permits);
  await server.redis.set(keys.count, TOTAL);
};
const owned = async () => {
  await begun();
  await run(server.port, asking('a:1', 2));
};
const awaited = async () => {
  await owned();
  await run(server.port, asking('b:1', 2));
  await run(server.port, asking('c:1', 1));
};
const ended = async () => {
  await awaited();
  await server.redis.hset(keys.permits, 'a:1', '2 5', 'sweep', '5');
};
const issued = async () => {
  await owned();
  await run(server.port, issuing);
};

const operations: [title: string, before: () => Promise<void>, command: Command<unknown>, changed?: number][] = [
  ['an ask for free permits', begun, asking('a:1', 2)],
  ['an ask that queues', owned, asking('b:1', 2)],
  ['an ask of the first in line, when a lease has ended', ended, asking('b:1', 2)],
  ['an ask of a newcomer, when a lease has ended', ended, asking('d:1', 1)],
  ['a clean release', awaited, leaving(0)],
  ['a dirty release', awaited, leaving(10_000)],
  ['giving back some', awaited, permits.shrink(keys, { tenure: 'a:1', left: 1, ...granting })],
  ['issuing ids', awaited, issuing],
  ['adopting ids', issued, permits.adopt(keys, { tenure: 'b:1', ids: ['i:1', 'i:2'], leaseMs: 60_000 })],
  ['taking ids back', issued, permits.takeBack(keys, { ids: ['i:1', 'i:2'], ...request })],
  ['serving', ended, permits.serve(keys, granting)],
  ['adding', awaited, counting({ how: 'add', permits: 2 }), TOTAL + 2],
  ['setting the total', awaited, counting({ how: 'total', permits: 6 }), 6],
];

const sumOf = async () => {
  const records = Object.entries(await server.redis.hgetall(keys.permits)).filter(([field]) => field.includes(':'));
  return records.reduce(
    (sum, [, entry]) => sum + Number.parseInt(entry, 10),
    Number(await server.redis.get(keys.count)),
  );
};

describe('permits add up, whatever the user may not call', () => {
  it.each(operations)('%s', async (_, before, command, changed = TOTAL) => {
    const called = await calledBy(server, scripts);
    expect(called).toContain('HDEL');
    const others = called.filter((name) => name !== 'HDEL').map((name) => ['HDEL', name]);
    const found = await eachLacking(server, [...called.map((name) => [name]), ...others], {
      before,
      command,
      look: sumOf,
    });
    expect(found.filter(({ state }) => state !== TOTAL && state !== changed)).toEqual([]);
  });
});

it('ids that could not be taken back are not said to be back when the right is there again', async () => {
  await issued();
  const back = permits.takeBack(keys, { ids: ['i:1', 'i:2'], ...request });
  await server.redis.acl('SETUSER', 'limited', 'reset', 'on', '>x', '~*', '&*', '+@all', '-hdel');
  const limited = server.connect({ username: 'limited', password: 'x' });
  await expect(run(scriptPort(limited), back)).rejects.toThrow(/can't run this command|permissions/);
  expect(await run(server.port, back)).toMatchObject({ returned: 2 });
  expect(Number(await server.redis.get(keys.count))).toBe(TOTAL);
  await server.redis.acl('DELUSER', 'limited');
});

it('permits that could not be counted anew are not said to be when they can be', async () => {
  await begun();
  await server.redis.set(keys.permits, 'something else', 'PX', 60_000);
  const adding = counting({ how: 'add', permits: 2 });
  await expect(run(server.port, adding)).rejects.toThrow('WRONGTYPE');
  await server.redis.del(keys.permits);
  await run(server.port, adding);
  expect(Number(await server.redis.get(keys.count))).toBe(TOTAL + 2);
});
