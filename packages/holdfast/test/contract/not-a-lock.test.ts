import { randomUUID } from 'node:crypto';
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, LockClient, RLock } from 'holdfast';
import { failureOf } from '../support/outcomes.js';
import { freshName, openClient } from '../support/clients.js';

const kit = useRedis();

const refused = { code: 'LOCK_REFUSED', redisCode: 'NOTALOCK', message: expect.stringMatching(/is not a lock/) };

const uuid = randomUUID();

/** What applications have under names like those of locks, and what only looks like one of ours or of Redisson. */
const data: readonly (readonly [title: string, fields: Record<string, string>])[] = [
  ['a record', { name: 'Ada', age: '36' }],
  ['a record with a colon in a field', { 'a:b': 'x' }],
  ['counters by user', { 'user:1': '5', 'user:2': '7' }],
  ['a record with a field seq', { seq: '7', name: 'Ada' }],
  ['times by user, with a field seq', { seq: '7', 'user:1': '2026-11-22' }],
  ['counters by user, with a field seq', { 'user:1': '5', 'user:2': '7', seq: '9' }],
  ['a counter of a user, with a field seq and a name', { 'user:1': '5', seq: '9', name: 'bob' }],
  ['a counter of a user, with a seq that is none', { 'user:1': '5', seq: 'x' }],
  ['a counter beside a thread', { 'user:1': '5', [`${uuid}:7`]: '1' }],
  ['a thread with another mode', { mode: 'dark', [`${uuid}:7`]: '1' }],
  ['a thread by a uuid whose count is none', { [`${uuid}:${randomUUID()}`]: '-1' }],
  ['an owner without a count', { seq: '1', 'client:1': '0' }],
  ['a mode alone', { mode: 'dark' }],
  ['uuids without a thread', { [uuid]: '1' }],
  ['a thread whose count is none', { [`${uuid}:7`]: 'x' }],
  ['threads among other fields', { [`${uuid}:7`]: '1', name: 'Ada' }],
];

const calls: Record<string, (lock: RLock, client: LockClient) => Promise<unknown>> = {
  lock: (lock) => lock.lock(),
  tryLock: (lock) => lock.tryLock(),
  'tryLock with a wait': (lock) => lock.tryLock(60_000),
  acquire: (lock) => lock.acquire(),
  tryAcquire: (lock) => lock.tryAcquire(),
  withLock: (lock) => lock.withLock(() => 'inside'),
  tryWithLock: (lock) => lock.tryWithLock({}, () => 'inside'),
  isLocked: (lock) => lock.isLocked(),
  remainTimeToLive: (lock) => lock.remainTimeToLive(),
  forceUnlock: (lock) => lock.forceUnlock(),
  inspect: (lock, client) => client.inspect(lock.name),
};

const holders: Record<string, (client: LockClient, name: string) => Pick<RLock, 'acquire'>> = {
  'a lock': (client, name) => client.getLock(name),
  'a fenced lock': (client, name) => client.getFencedLock(name),
  'a fair lock': (client, name) => client.getFairLock(name),
  'a read lock': (client, name) => client.getReadWriteLock(name).readLock(),
  'a write lock': (client, name) => client.getReadWriteLock(name).writeLock(),
};

const callsOfHolders: Record<string, (hold: Hold, lock: Pick<RLock, 'acquire'>) => Promise<unknown>> = {
  'a longer lease inside': (hold, lock) => hold.run(() => lock.acquire({ leaseMs: 120_000 })),
  extend: (hold) => hold.extend(120_000),
  release: (hold) => hold.release(),
};

describe('a key that is not a lock', () => {
  it.each(data)('is refused at once in every call, and never written or deleted: %s', async (_, fields) => {
    for (const wakeup of ['queue', 'redisson'] as const) {
      const client = openClient(kit, { wakeup });
      const name = freshName();
      await kit.admin.hset(name, fields);
      for (const [call, run] of Object.entries(calls)) {
        const error = await run(client.getLock(name), client).catch((thrown: unknown) => thrown);
        expect([call, error]).toEqual([call, expect.objectContaining(refused)]);
      }
      expect(await kit.admin.hgetall(name)).toEqual(fields);
      expect(await kit.admin.pttl(name)).toBe(-1);
      expect(await kit.admin.keys(`*${name}*`)).toEqual([name]);
      await kit.admin.del(name);
    }
  });

  it.each([
    ['a string', (name: string) => kit.admin.set(name, 'text')],
    ['a list', (name: string) => kit.admin.rpush(name, 'item')],
    ['a sorted set', (name: string) => kit.admin.zadd(name, 1, 'member')],
  ])('is refused so too when it is %s', async (_, make) => {
    const client = openClient(kit);
    const name = freshName();
    await make(name);
    const before = await kit.admin.dumpBuffer(name);
    for (const [call, run] of Object.entries(calls)) {
      const error = await run(client.getLock(name), client).catch((thrown: unknown) => thrown);
      expect([call, error]).toEqual([call, expect.objectContaining(refused)]);
    }
    expect(await kit.admin.dumpBuffer(name)).toEqual(before);
    await kit.admin.del(name);
  });

  it('ends the wait of those who stand in line, when it has taken the place of the lock, and the hold is lost', async () => {
    const [holder, waiter] = [openClient(kit), openClient(kit, { reaskMs: 50, claimLeaseMs: 400 })];
    const name = freshName();
    const hold = await holder.getLock(name).acquire();
    const refusal = failureOf(waiter.getLock(name).acquire());
    await waitUntil(async () => (await kit.admin.exists(`holdfast_queue:{${name}}`)) === 1, { what: 'it waits' });
    await kit.admin.multi().del(name).hset(name, 'name', 'Ada').exec();
    expect(await refusal).toMatchObject(refused);
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(await kit.admin.hgetall(name)).toEqual({ name: 'Ada' });
    await kit.admin.del(name);
  });

  it('whose type is another one takes a hold away too: a release says lost', async () => {
    const client = openClient(kit);
    const name = freshName();
    const [hold, nested] = await client.run(async () => {
      const outer = await client.getLock(name).acquire();
      return [outer, outer.run(() => client.getLock(name))] as const;
    });
    await kit.admin.set(name, 'text');
    await expect(hold.run(() => nested.withLock(() => 'inside'))).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await expect(hold.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(await kit.admin.get(name)).toBe('text');
    await kit.admin.del(name);
  });

  it.each(Object.entries(holders))(
    'whose type is another one takes a hold of %s away in each of its calls',
    async (_, lockOf) => {
      const client = openClient(kit);
      for (const [call, run] of Object.entries(callsOfHolders)) {
        const name = freshName();
        const lock = lockOf(client, name);
        const hold = await lock.acquire();
        await kit.admin.set(name, 'text');
        expect([call, await failureOf(run(hold, lock))]).toEqual([
          call,
          expect.objectContaining({ code: 'LOCK_LOST' }),
        ]);
        expect(await kit.admin.get(name)).toBe('text');
        await kit.admin.del(name);
        await failureOf(hold.release());
      }
    },
  );
});

describe('what is a lock by its shape', () => {
  it.each([
    ["Redisson's lock", { [`${uuid}:71`]: '2' }, true],
    ["a thread of Redisson's with a number below zero", { [`${uuid}:-71`]: '1' }, true],
    ["the lock of Redisson's port to Node.js", { [`${uuid}:${randomUUID()}`]: '1' }, true],
    ["Redisson's read lock", { mode: 'read', [`${uuid}:1`]: '1', [`${randomUUID()}:9`]: '3' }, true],
    ["Redisson's write lock", { mode: 'write', [`${uuid}:1:write`]: '1' }, true],
    ['one of ours', { 'client:1.x': '1', seq: '3' }, false],
    [
      "one of ours that Java's read lock has joined",
      { 'client:1.x': '1', seq: '3', mode: 'read', [`${uuid}:1`]: '1' },
      false,
    ],
    [
      'one of ours, whatever stands before it',
      { [`${uuid}:1`]: '1', mode: 'read', 'client:1.x': '1', seq: '3' },
      false,
    ],
    ['one of a later version, with more bookkeeping', { since: '7', token: '9', 'client:1.x': '1', seq: '3' }, false],
  ])('is waited for, inspected, and forced free: %s', async (_, fields, foreign) => {
    const client = openClient(kit);
    const name = freshName();
    await kit.admin.multi().hset(name, fields).pexpire(name, 60_000).exec();
    const lock = client.getLock(name);
    expect(await lock.tryLock()).toBe(false);
    expect(await lock.isLocked()).toBe(true);
    const owner = Object.keys(fields).find((field) => field.includes(':') && (foreign || !field.startsWith(uuid)));
    expect((await client.inspect(name)).owner).toMatchObject({ id: owner, kind: foreign ? 'foreign' : 'holdfast' });
    expect(await lock.forceUnlock()).toBe(true);
    expect(await kit.admin.exists(name)).toBe(0);
  });
});
