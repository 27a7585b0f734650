import { AsyncLocalStorage } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import {
  type Command,
  type GuardedWrite,
  guardedKeys,
  guardHash,
  type GuardReply,
  guardScripts,
  guardText,
} from '@holdfast/core';
import { faultProxy, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type FencedHold, LockLostError, LockNotHeldError, LockRefusedError, StaleTokenError } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { deliver as deliverLate } from '../support/late-copies.js';
import { failureOf } from '../support/outcomes.js';
import { spawnLockWorker } from '../support/workers.js';

const kit = useRedis();

/** A key of the test, and its record: gone when the test has ended. */
function freshKey(): string {
  const key = `data-${freshName()}`;
  kit.cleanup(async () => void (await kit.admin.del(key, guardedKeys(key).record)));
  return key;
}

const acquire = (name = freshName()): Promise<FencedHold> => openClient(kit).getFencedLock(name).acquire();

const deliver = <R>(command: Command<R>): Promise<R> => deliverLate(kit.admin, command);

type Write = (key: string, write: GuardedWrite, value: string) => Command<GuardReply>;

/** `gone`: without a guard, or at the end of its TTL. */
type Shape = 'set' | 'del' | 'hset' | 'hdel' | 'gone';

const written: Readonly<Record<Exclude<Shape, 'gone'>, Write>> = {
  set: (key, write, value) => guardText(guardedKeys(key), write, { command: 'SET', value, ttlMs: 0 }),
  del: (key, write) => guardText(guardedKeys(key), write, { command: 'DEL' }),
  hset: (key, write, value) => guardHash(guardedKeys(key), write, { command: 'HSET', args: ['last', value] }),
  hdel: (key, write) => guardHash(guardedKeys(key), write, { command: 'HDEL', args: ['last'] }),
};

describe('a guarded write', () => {
  it('that is refused is counted and told, in the context of the code that writes', async () => {
    const client = openClient(kit);
    const key = freshKey();
    const hold = await client.getFencedLock(freshName()).acquire();
    // By a later holder, of whom this one has not heard.
    await deliver(guardText(guardedKeys(key), { token: hold.token + 1, n: 1 }, { command: 'SET', value: 1, ttlMs: 0 }));
    const told: unknown[] = [];
    const flow = new AsyncLocalStorage<string>();
    const hear = (message: unknown) => told.push([message, flow.getStore()]);
    subscribe('holdfast:stale-write', hear);
    kit.cleanup(() => unsubscribe('holdfast:stale-write', hear));
    const error = await flow.run('the write', () => failureOf(hold.guard.set(key, 2)));
    expect(error).toBeInstanceOf(StaleTokenError);
    expect(told).toEqual([[{ clientId: client.clientId, name: hold.name, error }, 'the write']]);
    expect(client.stats().staleWrites).toBe(1);
  });

  it('of a process that was stopped over its lease is refused when it arrives behind one of the next holder', async () => {
    const [name, key] = [freshName(), freshKey()];
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    const worker = await spawnLockWorker(kit, { redis: proxy.url });
    const token = await worker.call('acquireFenced', name, 60_000);
    proxy.hold('up');
    const late = worker.call('guardedSet', key, 'of the stopped one');
    await waitUntil(() => proxy.holdsBack('of the stopped one'), { what: 'its write is on its way' });
    worker.kill('SIGSTOP');
    // As if it had been stopped for so long.
    await kit.admin.pexpire(name, 1);
    const next = await openClient(kit).getFencedLock(name).acquire();
    expect(next.token).toBeGreaterThan(token);
    await next.guard.set(key, 'of the next');
    await proxy.heal();
    worker.kill('SIGCONT');
    expect(await late).toBe('LOCK_STALE_TOKEN');
    expect(await kit.admin.get(key)).toBe('of the next');
    await next.release();
  });

  it('says which token has written, and leaves what that has written', async () => {
    const name = freshName();
    const [key, hash] = [freshKey(), freshKey()];
    const first = await acquire(name);
    await first.guard.set(key, 1);
    await first.guard.hset(hash, { balance: 1, owner: 'Ada' });
    // Taken away behind its back: it does not know yet.
    await kit.admin.del(name);
    const second = await acquire(name);
    await second.guard.set(key, 2);
    await second.guard.hdel(hash, 'owner');
    const late = { token: first.token, n: 2 };
    const stale = { kind: 'stale', token: second.token };
    expect(await deliver(guardText(guardedKeys(key), late, { command: 'SET', value: 3, ttlMs: 0 }))).toEqual(stale);
    expect(await deliver(guardText(guardedKeys(key), late, { command: 'DEL' }))).toEqual(stale);
    expect(await deliver(guardHash(guardedKeys(hash), late, { command: 'HSET', args: ['owner', 'Bob'] }))).toEqual(
      stale,
    );
    expect(await deliver(guardHash(guardedKeys(hash), late, { command: 'HDEL', args: ['balance'] }))).toEqual(stale);
    const error = await failureOf(first.guard.set(key, 3));
    if (!(error instanceof LockLostError)) {
      expect(error).toBeInstanceOf(StaleTokenError);
      expect(error).toMatchObject({ lockName: name, key, token: first.token, laterToken: second.token });
    }
    expect(await kit.admin.get(key)).toBe('2');
    expect(await kit.admin.hgetall(hash)).toEqual({ balance: '1', fence: `${second.token} 2` });
    await failureOf(first.release());
    await second.release();
  });

  it('of a holder that has written since is not undone by a late copy', async () => {
    const key = freshKey();
    const hold = await acquire();
    await hold.guard.set(key, 'first');
    await hold.guard.set(key, 'second');
    const copy = guardText(guardedKeys(key), { token: hold.token, n: 1 }, { command: 'SET', value: 'first', ttlMs: 0 });
    expect(await deliver(copy)).toEqual({ kind: 'written' });
    expect(await kit.admin.get(key)).toBe('second');
    await hold.guard.del(key);
    expect(await deliver(copy)).toEqual({ kind: 'written' });
    expect(await kit.admin.exists(key)).toBe(0);
    await hold.release();
  });

  it('is done once and answered once when its reply is lost', async () => {
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    const key = freshKey();
    const hold = await openClient(kit, { redis: proxy.url }).getFencedLock(freshName()).acquire();
    await hold.guard.hset(key, { n: 1 });
    proxy.loseNextReply({ after: (request) => request.includes(guardScripts.hash.sha) });
    await hold.guard.hset(key, { n: 2 });
    expect(proxy.repliesLost).toBe(1);
    expect(await kit.admin.hgetall(key)).toEqual({ fence: `${hold.token} 2`, n: '2' });
    await hold.release();
  });

  it('comes behind those of the same holder to the key, also where they are made at once or in a nested hold', async () => {
    const key = freshKey();
    const lock = openClient(kit).getFencedLock(freshName());
    await lock.withLock(async ({ guard, token }) => {
      await Promise.all(Array.from({ length: 20 }, (_, n) => guard.hset(key, { [`f${n}`]: n, last: n })));
      await lock.withLock((nested) => nested.guard.hset(key, { last: 'nested' }));
      expect(await kit.admin.hlen(key)).toBe(22);
      expect(await kit.admin.hmget(key, 'last', 'fence')).toEqual(['nested', `${token} 21`]);
    });
    await lock.withLock(async ({ guard, token }) => {
      await guard.hset(key, { last: 'next' });
      expect(await kit.admin.hmget(key, 'last', 'fence')).toEqual(['next', `${token} 1`]);
    });
  });

  it('has a record that lives as long as the value, but for a day at least, also behind a deletion', async () => {
    const key = freshKey();
    const { record } = guardedKeys(key);
    const hold = await acquire();
    await hold.guard.set(key, 1, { ttlMs: 50_000 });
    expect(await kit.admin.pttl(key)).toBeLessThanOrEqual(50_000);
    expect(await kit.admin.pttl(record)).toBeGreaterThan(86_000_000);
    await hold.guard.set(key, 1, { ttlMs: 200_000_000 });
    expect(await kit.admin.pttl(key)).toBeGreaterThan(199_000_000);
    expect(await kit.admin.pttl(record)).toBeGreaterThan(199_000_000);
    await hold.guard.set(key, 1);
    expect([await kit.admin.pttl(key), await kit.admin.pttl(record)]).toEqual([-1, -1]);
    await hold.guard.del(key);
    expect(await kit.admin.pttl(record)).toBeGreaterThan(86_000_000);
    await hold.release();
  });

  it('under an older token is refused also when the value of the later one has ended', async () => {
    const key = freshKey();
    const hold = await acquire();
    await hold.guard.set(key, 'new', { ttlMs: 1 });
    await waitUntil(async () => (await kit.admin.exists(key)) === 0, { what: 'the value has ended' });
    const older = { token: hold.token - 1, n: 1 };
    const late = guardText(guardedKeys(key), older, { command: 'SET', value: 'old', ttlMs: 0 });
    expect(await deliver(late)).toEqual({ kind: 'stale', token: hold.token });
    expect(await kit.admin.exists(key)).toBe(0);
    await hold.release();
  });

  describe.each<[string, readonly Shape[]]>([
    ['a string', ['set']],
    ['a string that has ended', ['set', 'gone']],
    ['a string that was deleted', ['set', 'del']],
    ['a deletion of nothing', ['del']],
    ['a hash', ['hset']],
    ['a hash that has lost its fields', ['hset', 'hdel']],
    ['a hash where a string was', ['set', 'del', 'hset']],
    ['a hash that was written last, behind a string of an older token', ['set', 'gone', 'hdel']],
    ['a string where a hash was', ['hset', 'gone', 'set']],
    ['a string that was deleted, where a hash was', ['hset', 'gone', 'set', 'del']],
  ])('behind %s of a later token', (_what, later) => {
    it.each<Shape>(['set', 'del', 'hset', 'hdel'])(
      'is refused, and a copy under that token does nothing: %s',
      async (late) => {
        const key = freshKey();
        const send = (shape: Shape, token: number, n: number) =>
          shape === 'gone' ? kit.admin.del(key) : deliver(written[shape](key, { token, n }, `${token}-${n}`));
        await send(late, 1, 1);
        await kit.admin.del(key);
        for (const [at, shape] of later.entries()) await send(shape, 3, at + 1);
        const before = await kit.admin.dumpBuffer(key);
        expect(await send(late, 2, 9)).toEqual({ kind: 'stale', token: 3 });
        expect(await send(late, 3, 1)).toEqual({ kind: 'written' });
        expect(await kit.admin.dumpBuffer(key)).toEqual(before);
      },
    );
  });

  it('is not sent when the hold is known to be over', async () => {
    const key = freshKey();
    const lock = openClient(kit).getFencedLock(freshName());
    const released = await lock.acquire();
    await released.release();
    expect(await failureOf(released.guard.set(key, 1))).toBeInstanceOf(LockNotHeldError);
    const lost = await lock.acquire();
    await lock.forceUnlock();
    expect(await failureOf(lost.guard.set(key, 1))).toBeInstanceOf(LockLostError);
    expect(await kit.admin.exists(key)).toBe(0);
    await failureOf(lost.release());
  });

  it('to the key of its own lock is refused before anything is sent, also behind a prefix', async () => {
    const lock = openClient(kit, { prefix: 'shop:' }).getFencedLock(freshName());
    const key = `shop:${lock.name}`;
    await lock.withLock(async ({ guard }) => {
      const before = await kit.admin.hgetall(key);
      const writes = [guard.set(key, 1), guard.del(key), guard.hset(key, { a: 1 }), guard.hdel(key, 'seq')];
      for (const error of await Promise.all(writes.map(failureOf))) expect(error).toBeInstanceOf(RangeError);
      expect(await kit.admin.hgetall(key)).toEqual(before);
    });
    expect(await kit.admin.exists(key)).toBe(0);
  });

  it('goes to a key as your own client names it: the prefix of locks is not put in front', async () => {
    const key = freshKey();
    const lock = openClient(kit, { prefix: 'shop:' }).getFencedLock(freshName());
    await lock.withLock(({ guard }) => guard.set(key, 'x', { ttlMs: 60_000 }));
    expect([await kit.admin.get(key), await kit.admin.exists(`shop:${key}`)]).toEqual(['x', 0]);
  });

  it('deletes the fields that it is told to, and none that is named as its records look', async () => {
    const hash = freshKey();
    const hold = await acquire();
    const kept = { [`${hold.token} 1`]: 'x', [`${hold.token} 2`]: 'y' };
    await kit.admin.hset(hash, { ...kept, a: 1 });
    await hold.guard.hdel(hash, 'a');
    await hold.guard.hdel(hash, 'a');
    expect(await kit.admin.hgetall(hash)).toEqual({ ...kept, fence: `${hold.token} 2` });
    await kit.admin.del(hash);
    await hold.release();
  });

  it('leaves what it cannot guard as it is', async () => {
    const [list, hash] = [freshKey(), freshKey()];
    await kit.admin.lpush(list, 'x');
    await kit.admin.hset(hash, 'fence', 'wooden');
    const { guard, release } = bound(await acquire());
    expect(await failureOf(guard.set(list, 1))).toMatchObject({ redisCode: 'WRONGTYPE' });
    expect(await failureOf(guard.del(list))).toMatchObject({ redisCode: 'WRONGTYPE' });
    expect(await failureOf(guard.hset(hash, { a: 1 }))).toMatchObject({ redisCode: 'NOTAFENCE' });
    expect(await failureOf(guard.hdel(hash, 'a'))).toBeInstanceOf(LockRefusedError);
    expect(await kit.admin.lrange(list, 0, -1)).toEqual(['x']);
    expect(await kit.admin.hgetall(hash)).toEqual({ fence: 'wooden' });
    await release();
  });

  it.each<[string, (hold: FencedHold) => Promise<void>]>([
    ['an empty key', ({ guard }) => guard.set('', 1)],
    ['a key of ours', ({ guard }) => guard.hset('holdfast_queue:{x}', { a: 1 })],
    ['a key of Redisson', ({ guard }) => guard.del('redisson_lock_token:{x}')],
    ['braces that part the record from the key', ({ guard }) => guard.set('a{b', 1)],
    ['a value that is none', ({ guard }) => guard.set('k', Number.NaN)],
    ['no fields', ({ guard }) => guard.hset('k', {})],
    ['a list in place of fields', ({ guard }) => guard.hset('k', ['a', 'b'] as never)],
    ['the field of the record', ({ guard }) => guard.hset('k', { fence: 1 })],
    ['a field that is no text', ({ guard }) => guard.hdel('k', 1 as never)],
    ['a value that would become another', ({ guard }) => guard.set('k', 'a\ud800b')],
    ['the value of a field that would become another', ({ guard }) => guard.hset('k', { a: '\udc00' })],
    ['a field that would become another', ({ guard }) => guard.hdel('k', 'a\ud800')],
    ['an option that does not exist', ({ guard }) => guard.set('k', 1, { ttl: 1 } as never)],
    ['a TTL of nothing', ({ guard }) => guard.set('k', 1, { ttlMs: 0 })],
  ])('is refused before anything is sent: %s', async (_what, write) => {
    const hold = await acquire();
    const error = await failureOf(write(hold));
    expect(error instanceof TypeError || error instanceof RangeError).toBe(true);
    await hold.release();
  });
});

it('a refused value is told: a number by itself, anything else by its type', async () => {
  const hold = await acquire();
  for (const [value, told] of [
    [Number.NaN, 'NaN'],
    [Number.NEGATIVE_INFINITY, '-Infinity'],
    [{}, 'object'],
  ] as const)
    await expect(hold.guard.set('k', value as never)).rejects.toThrow(`a finite number, got ${told}`);
  await hold.release();
});

const bound = (hold: FencedHold) => ({ guard: hold.guard, release: () => hold.release() });
