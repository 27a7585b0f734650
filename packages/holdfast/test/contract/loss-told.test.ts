import { driveTime, startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type Hold, type LockClient, type LockClientOptions, LockLostError } from 'holdfast';
import { freshName } from '../support/clients.js';
import { openFaulty } from '../support/faulty.js';

const kit = useRedis(startPrivateRedis);
const leaseMs = 30_000;
const setUp = (options?: Partial<LockClientOptions>) => openFaulty(kit, options);

describe('who relied on a lost lock is told', () => {
  it('withLock rejects with LockLostError although its function resolved', async () => {
    const { name, lock } = await setUp();
    const section = lock.withLock(async ({ signal }) => {
      await kit.admin.del(name);
      await waitUntil(() => signal.aborted, { what: 'the loss' });
      return 'done';
    });
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'deleted', lockName: name });
  });

  it('an error of the function wins, and the loss is its cause', async () => {
    const { name, lock } = await setUp();
    const failure = new Error('work failed');
    const section = lock.withLock(async ({ signal }) => {
      await kit.admin.del(name);
      await waitUntil(() => signal.aborted, { what: 'the loss' });
      throw failure;
    });
    await expect(section).rejects.toBe(failure);
    expect(failure.cause).toBeInstanceOf(LockLostError);
  });

  it.each<[string, () => unknown, (failure: unknown) => void]>([
    [
      'that has a cause keeps it',
      () => new Error('work failed', { cause: 'the disk' }),
      (failure) => expect(failure).toMatchObject({ cause: 'the disk' }),
    ],
    ['that is frozen stays as it is', () => Object.freeze(new Error('work failed')), () => undefined],
    [
      'whose cause can only be read stays as it is',
      () => Object.defineProperty(new Error('work failed'), 'cause', { get: () => undefined }),
      (failure) => expect(failure).toMatchObject({ cause: undefined }),
    ],
    ['that is no Error stays as it is', () => 'work failed', () => undefined],
  ])('an error of the function %s, and the loss is told as an event', async (_, make, check) => {
    const { client, name, lock } = await setUp();
    const told: unknown[] = [];
    client.on('error', (error) => told.push(error));
    const failure = make();
    const section = lock.withLock(async ({ signal }) => {
      await kit.admin.del(name);
      await waitUntil(() => signal.aborted, { what: 'the loss' });
      throw failure;
    });
    await expect(section).rejects.toBe(failure);
    expect(told).toMatchObject([{ code: 'LOCK_LOST', lockName: name }]);
    check(failure);
  });

  it('a loss that nobody has noticed is found by the release', async () => {
    const { client, name, lock } = await setUp({ watchdogTimeoutMs: 30_000 });
    const events: unknown[] = [];
    client.on('lost', ({ error }) => events.push(error.reason));
    const section = lock.withLock(() => kit.admin.del(name));
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(events).toEqual(['deleted']);
  });

  it('also when the release finds it and a nested call is on its way in', async () => {
    const { client, name, lock } = await setUp({ watchdogTimeoutMs: 30_000 });
    const events: unknown[] = [];
    client.on('lost', ({ error }) => events.push(error.reason));
    const hold = await lock.acquire();
    await kit.admin.del(name);
    const outcomes = await Promise.allSettled([hold.run(() => lock.acquire()), hold.release()]);
    expect(outcomes).toMatchObject([{ reason: { code: 'LOCK_LOST' } }, { reason: { code: 'LOCK_LOST' } }]);
    expect(events).toHaveLength(1);
  });

  it('unlock rejects once with the reason, then there is nothing to unlock', async () => {
    const { client, name, lock } = await setUp();
    const lost = new Promise((resolve) => client.on('lost', resolve));
    await lock.lock();
    await kit.admin.del(name);
    await lost;
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
  });

  it('every level of nesting is told', async () => {
    const { name, lock } = await setUp();
    const outcomes: unknown[] = [];
    const outer = lock.withLock(async () => {
      const inner = lock.withLock(async ({ signal }) => {
        await kit.admin.del(name);
        await waitUntil(() => signal.aborted, { what: 'the loss' });
      });
      await inner.catch((error: unknown) => outcomes.push(error));
    });
    await outer.catch((error: unknown) => outcomes.push(error));
    expect(outcomes).toMatchObject([{ code: 'LOCK_LOST' }, { code: 'LOCK_LOST' }]);
  });
});

describe('the first line after a stalled event loop tells the truth', () => {
  it.each([
    ['a fixed lease', { leaseMs }, 'expired', /: expired \(its lease ran out/],
    [
      'a watched lease',
      {},
      'clock',
      /: clock \(this process stood still .* \(claimLeaseMs after a handover\): a long computation/,
    ],
  ] as const)('about %s', async (_, options, reason, words) => {
    const time = driveTime(kit);
    const { client, lock } = await setUp({ watchdogTimeoutMs: leaseMs });
    const reads: ((hold: Hold) => unknown)[] = [
      (hold) => hold.state === 'lost',
      (hold) => hold.remainingMs() === 0,
      (hold) => hold.signal.aborted && (hold.signal.reason as LockLostError).reason === reason,
      (hold) => {
        try {
          hold.assertHeld();
          return false;
        } catch (error) {
          return error instanceof LockLostError && error.reason === reason;
        }
      },
    ];
    for (const read of reads) {
      const hold = await client.getLock(freshName()).acquire(options);
      expect(hold.signal.aborted).toBe(false);
      time.jump(leaseMs + 50);
      const truth = read(hold);
      expect(truth).toBe(true);
      await expect(hold.release()).rejects.toMatchObject({ reason, message: expect.stringMatching(words) });
    }
    expect(await lock.tryLock()).toBe(true);
    await lock.unlock();
  });

  it.each<[string, (client: LockClient, name: string) => Promise<{ readonly signal: AbortSignal }>]>([
    ['a lock', (client, name) => client.getLock(name).acquire()],
    ['a lock of several names', (client, name) => client.getMultiLock([name, `${name}:b`]).acquire()],
    ['a read lock', (client, name) => client.getReadWriteLock(name).readLock().acquire()],
    ['a leadership', (client, name) => client.election(name).campaign()],
  ])('about %s, to code that has nothing but its signal', async (_, take) => {
    const time = driveTime(kit);
    const { client } = await setUp({ watchdogTimeoutMs: leaseMs });
    const reads: ((signal: AbortSignal) => unknown)[] = [
      (signal) => signal.aborted,
      (signal) => signal.reason instanceof LockLostError,
      (signal) => {
        try {
          return signal.throwIfAborted();
        } catch (error) {
          return error instanceof LockLostError;
        }
      },
    ];
    for (const read of reads) {
      const { signal } = await take(client, freshName());
      let told = 0;
      signal.addEventListener('abort', () => told++);
      expect(read(signal)).toBeFalsy();
      time.jump(leaseMs + 50);
      expect(read(signal)).toBe(true);
      expect([signal.aborted, told]).toEqual([true, 1]);
    }
  });

  it('about a nested call: it does not acquire afresh', async () => {
    const time = driveTime(kit);
    const { lock } = await setUp({ watchdogTimeoutMs: leaseMs });
    const inner: unknown[] = [];
    const section = lock.withLock(async () => {
      time.jump(leaseMs + 50);
      inner.push(await lock.withLock(() => 'ran').catch((error: unknown) => error));
    });
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(inner).toMatchObject([{ code: 'LOCK_LOST' }]);
  });
});
