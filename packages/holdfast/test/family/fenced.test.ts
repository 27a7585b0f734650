import { fencedScripts, handoffFenced, lockKeys } from '@holdfast/core';
import { faultProxy, seededRandom, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, RFencedLock } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { deliver } from '../support/late-copies.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis();
const DAY_MS = 86_400_000;

const counterOf = (name: string) => lockKeys(name).tokenCounter;
const waiting = (client: LockClient, name: string) =>
  waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'a tenure waits' });

/** In the order in which the lock was had. */
const rises = (tokens: readonly number[]) =>
  tokens.every((token, index) => index === 0 || token > (tokens[index - 1] ?? 0));

describe('tokens', () => {
  it('rise in the order of ownership, over processes and tasks, beside plain locks, and whatever becomes of the counter', async () => {
    const random = seededRandom(7);
    const name = freshName();
    const locks = Array.from({ length: 3 }, () => openClient(kit).getFencedLock(name));
    const plain = openClient(kit).getLock(name);
    const tokens: number[] = [];
    const mishaps = [
      () => kit.admin.del(counterOf(name)),
      () => kit.admin.set(counterOf(name), '5', 'PX', DAY_MS),
      () => kit.admin.decrby(counterOf(name), 1_000_000),
      () => kit.admin.incr(counterOf(name)),
      () => plain.withLock(() => undefined),
    ];
    const use = async (lock: RFencedLock) => {
      for (let turn = 0; turn < 12; turn++) {
        const mishap = mishaps[Math.floor(random.next() * mishaps.length)];
        const leaseMs = random.next() < 0.3 ? { leaseMs: 10_000 } : {};
        await lock.withLock(leaseMs, async ({ token }) => {
          tokens.push(token);
          await kit.admin.ping();
        });
        await mishap?.();
      }
    };
    await Promise.all(locks.flatMap((lock) => [use(lock), use(lock)]));
    expect(tokens).toHaveLength(72);
    expect(rises(tokens)).toBe(true);
    await kit.admin.del(counterOf(name));
  });

  it('of tasks of one process are the next of a span, without a command, until it is spent', async () => {
    const lock = openClient(kit).getFencedLock(freshName());
    const tokens: number[] = [];
    const hold = await lock.acquire();
    const tasks = Array.from({ length: 40 }, () => lock.withLock((inner) => tokens.push(inner.token)));
    await hold.release();
    await Promise.all(tasks);
    const first = hold.token;
    expect(tokens.slice(0, 31)).toEqual(Array.from({ length: 31 }, (_, index) => first + 1 + index));
    expect(tokens[31]).toBeGreaterThan(first + 31);
    expect(rises(tokens)).toBe(true);
  });

  it('stay the same on re-entry, and are told by every way to the lock', async () => {
    const client = openClient(kit);
    const lock = client.getFencedLock(freshName());
    const before = await lock.withLock(async ({ token }) => {
      expect(await lock.getToken()).toBe(token);
      expect(await lock.withLock((inner) => inner.token)).toBe(token);
      expect(await client.getFencedLock(lock.name).tryLockAndGetToken()).toBe(token);
      await lock.unlock();
      expect(await openClient(kit).getFencedLock(lock.name).tryLockAndGetToken()).toBeNull();
      return token;
    });
    expect(await lock.getToken()).toBeNull();
    const token = await lock.lockAndGetToken(5_000);
    expect(token).toBeGreaterThan(before);
    expect(Number.isSafeInteger(token)).toBe(true);
    expect(String(token)).toHaveLength(16);
    expect(await lock.getToken()).toBe(token);
    await lock.unlock();
    expect(await failureOf(lock.lockAndGetToken(-1))).toBeInstanceOf(RangeError);
    expect(await failureOf(lock.tryLockAndGetToken(0, 1))).toBeInstanceOf(RangeError);
  });

  it('are minted by the ask where the lock was granted by a release that knows of none', async () => {
    const name = freshName();
    const [plain, fenced] = [openClient(kit), openClient(kit)];
    const lock = fenced.getFencedLock(name);
    const before = await lock.withLock(({ token }) => token);
    const hold = await plain.getLock(name).acquire();
    const next = lock.acquire();
    await waiting(plain, name);
    await hold.release();
    const { token } = await next;
    expect(token).toBeGreaterThan(before + 31);
    expect(await kit.admin.hget(name, 'token')).toBe(String(token));
    await (await next).release();
  });

  it('of a span that is spent are not given on: the next number may be somebody else’s', async () => {
    const lock = openClient(kit, { tokens: 'count' }).getFencedLock(freshName());
    const tokens: number[] = [];
    const hold = await lock.acquire();
    const tasks = Array.from({ length: 33 }, () => lock.withLock((inner) => tokens.push(inner.token)));
    const others = await kit.admin.incr(counterOf(lock.name));
    await hold.release();
    await Promise.all(tasks);
    expect(others).toBe(hold.token + 32);
    expect(tokens).not.toContain(others);
    expect(rises(tokens)).toBe(true);
    await kit.admin.del(counterOf(lock.name));
  });

  it('are not minted again by a copy of the ask', async () => {
    const proxy = await faultProxy({ target: kit.server });
    kit.cleanup(() => proxy.close());
    const lock = openClient(kit, { redis: proxy.url, tokens: 'count' }).getFencedLock(freshName());
    await lock.withLock(() => undefined);
    proxy.loseNextReply({ after: (request) => request.includes(fencedScripts.ask.sha) });
    const hold = await lock.acquire();
    expect([proxy.repliesLost, hold.token]).toEqual([1, 33]);
    expect(await kit.admin.get(counterOf(lock.name))).toBe('64');
    await hold.release();
    await kit.admin.del(counterOf(lock.name));
  });

  it('are not minted again by a copy of a handoff', async () => {
    const client = openClient(kit, { tokens: 'count' });
    const lock = client.getFencedLock(freshName());
    const hold = await lock.acquire();
    const next = lock.acquire({ leaseMs: 60_000 });
    await hold.release();
    const passed = await next;
    const tenure = (await client.inspect(lock.name)).owner?.id ?? '';
    const copy = handoffFenced(lockKeys(lock.name), { tenure, seq: 2, leaseMs: 60_000, tokens: 'count' });
    expect(await deliver(kit.admin, copy)).toMatchObject({ kind: 'passed', token: passed.token });
    expect([passed.token, await kit.admin.get(counterOf(lock.name))]).toEqual([33, '64']);
    await passed.release();
    await kit.admin.del(counterOf(lock.name));
  });

  it('that cannot be minted keep the lock from being taken', async () => {
    const name = freshName();
    const client = openClient(kit);
    await kit.admin.lpush(counterOf(name), 'no counter');
    expect(await failureOf(client.getFencedLock(name).lock())).toMatchObject({
      code: 'LOCK_REFUSED',
      redisCode: 'WRONGTYPE',
    });
    expect(await kit.admin.exists(name)).toBe(0);
    expect(await client.getLock(name).tryLock()).toBe(true);
    await client.getLock(name).forceUnlock();
    await kit.admin.del(counterOf(name));
  });

  it('rise above a counter that is ahead of the clock', async () => {
    const lock = openClient(kit).getFencedLock(freshName());
    await kit.admin.set(counterOf(lock.name), '9000000000000000', 'PX', DAY_MS);
    expect(await lock.withLock(({ token }) => token)).toBe(9_000_000_000_000_001);
    expect(await kit.admin.get(counterOf(lock.name))).toBe('9000000000000032');
  });
});

describe('the counter', () => {
  it('by time lives for a day behind its last token, unless it has no end, which is Redisson’s', async () => {
    const lock = openClient(kit).getFencedLock(freshName());
    await lock.withLock(() => undefined);
    expect(await kit.admin.pttl(counterOf(lock.name))).toBeGreaterThan(DAY_MS);
    // Its last token is older than the first six digits: the TTL is set anew.
    await kit.admin.set(counterOf(lock.name), '1000000000000000', 'PX', 60_000);
    await lock.withLock(() => undefined);
    expect(await kit.admin.pttl(counterOf(lock.name))).toBeGreaterThan(DAY_MS);
    await kit.admin.set(counterOf(lock.name), '41');
    await lock.withLock(() => undefined);
    expect(await kit.admin.pttl(counterOf(lock.name))).toBe(-1);
    await kit.admin.del(counterOf(lock.name));
  });

  it.each([{ tokens: 'count' }, { wakeup: 'redisson' }] as const)(
    'with %p counts on from Redisson’s, and has no end',
    async (options) => {
      const lock = openClient(kit, options).getFencedLock(freshName());
      await kit.admin.set(counterOf(lock.name), '41');
      expect(await lock.withLock(({ token }) => token)).toBe(42);
      expect(await kit.admin.incr(counterOf(lock.name))).toBe(74);
      expect(await lock.withLock({ leaseMs: 5_000 }, ({ token }) => token)).toBe(75);
      expect(await kit.admin.pttl(counterOf(lock.name))).toBe(-1);
      await kit.admin.del(counterOf(lock.name));
    },
  );

  it('that was made by time has no end from the first counted token on, and so does not begin again at 1', async () => {
    const name = freshName();
    const byTime = openClient(kit).getFencedLock(name);
    const byCount = openClient(kit, { tokens: 'count' }).getFencedLock(name);
    const before = await byTime.withLock(({ token }) => token);
    const counted = await byCount.withLock(({ token }) => token);
    expect(counted).toBeGreaterThan(before + 31);
    expect(await kit.admin.get(counterOf(name))).toBe(String(counted + 31));
    expect(await kit.admin.pttl(counterOf(name))).toBe(-1);
    await byTime.withLock(() => undefined);
    expect(await kit.admin.pttl(counterOf(name))).toBe(-1);
    await kit.admin.del(counterOf(name));
  });
});
