/** What `holdfast/testing` promises to those who test with it. */
import { waitUntil } from '@holdfast/testkit';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { LockClient, LockLostError, LockTimeoutError, LockUnavailableError } from 'holdfast';
import {
  createTestClient,
  createTestServer,
  type HoldfastMatchers,
  holdfastMatchers,
  type TestClientOptions,
  type TestLockClient,
  type TestLossReason,
} from 'holdfast/testing';

expect.extend(holdfastMatchers);
/** In a project that can name the package `expect` a declaration does this: see docs/testing.md. */
const expectOf = expect as unknown as (received: unknown) => HoldfastMatchers & { not: HoldfastMatchers };

const open: LockClient[] = [];
const testClient = (options: TestClientOptions = {}) => {
  const client = createTestClient(options);
  open.push(client);
  return client;
};

afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
  jest.useRealTimers();
});

/** Whether a promise has settled, and how, without waiting for it. */
function watched<T>(promise: Promise<T>): { outcome: unknown } {
  const seen: { outcome: unknown } = { outcome: 'pending' };
  promise.then(
    (value) => {
      seen.outcome = value;
    },
    (error: unknown) => {
      seen.outcome = error;
    },
  );
  return seen;
}

describe('a test client', () => {
  it('is a real client, and locks without Redis and without waiting', async () => {
    const locks = testClient();
    expect(locks).toBeInstanceOf(LockClient);
    const lock = locks.getLock('order');
    await expect(lock.withLock(async () => lock.isLocked())).resolves.toBe(true);
    await expectOf(lock).toBeFree();
  });

  it('waits for as long as it was told, by the time of the test', async () => {
    const locks = testClient();
    await locks.busy('order');
    const tried = watched(locks.getLock('order').tryLock(2_000));
    await locks.advance(1_999);
    expect(tried.outcome).toBe('pending');
    await locks.advance(1);
    expect(tried.outcome).toBe(false);
  });

  it('gets a lock that another process frees', async () => {
    const locks = testClient();
    const other = await locks.busy('order');
    await expect(locks.getLock('order').tryLock()).resolves.toBe(false);
    const waiting = watched(locks.getLock('order').acquire());
    await locks.advance(60_000);
    expect(waiting.outcome).toBe('pending');
    await other.free();
    expect(waiting.outcome).toMatchObject({ state: 'held' });
  });

  it('cannot be told that another process has what it holds itself', async () => {
    const locks = testClient();
    await locks.getLock('order').acquire();
    await expect(locks.busy('order')).rejects.toThrow('the lock "order" is held already');
  });

  it('keeps a lock for hours, and a fixed lease as long as it lasts', async () => {
    const locks = testClient();
    const watchedHold = await locks.getLock('kept').acquire();
    await locks.advance(7_200_000);
    expect(watchedHold.state).toBe('held');
    const leased = await locks.getLock('leased').acquire({ leaseMs: 5_000 });
    await locks.advance(4_000);
    await expectOf(leased).toBeHeld();
    await locks.advance(1_000);
    await expectOf(leased).toBeFree();
    await expect(leased.release()).rejects.toMatchObject({ reason: 'expired' });
  });

  it('is exact to the millisecond as Redis is: a key is there through the one in which it ends, a hold is lost by then', async () => {
    const locks = testClient();
    const other = testClient({ server: locks });
    const value = (by: TestLockClient) => by.share('report', { ttlMs: 1_000, fn: () => by.clientId });
    await locks.oncePer('job', 1_000, () => 1);
    await value(locks);
    const leased = await locks.getLock('leased').acquire({ leaseMs: 1_000 });
    await locks.advance(1_000);
    expect(leased.state).toBe('lost');
    expect((await other.oncePer('job', 1_000, () => 1)).ran).toBe(false);
    expect(await value(other)).toBe(locks.clientId);
    await locks.advance(1);
    expect((await other.oncePer('job', 1_000, () => 1)).ran).toBe(true);
    expect(await value(other)).toBe(other.clientId);
  });

  const reasons: TestLossReason[] = [
    'expired',
    'deleted',
    'taken',
    'force-unlocked',
    'unreachable',
    'clock',
    'max-hold',
  ];
  it.each(reasons)('loses a hold on demand: %s', async (reason) => {
    const locks = testClient();
    const lost: string[] = [];
    locks.on('lost', ({ error }) => lost.push(error.reason));
    const lock = locks.getLock('order');
    const section = lock.withLock(async (hold) => {
      await locks.lose('order', reason);
      expect(hold.signal.aborted).toBe(true);
      expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason });
      expect(() => hold.assertHeld()).toThrow(LockLostError);
    });
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST', reason });
    expect(lost).toEqual([reason]);
    await expect(lock.isLocked()).resolves.toBe(reason === 'taken');
    await locks.advance(30_000);
    await expectOf(lock).toBeFree();
  });

  it('loses permits of a semaphore, which are free then, and refuses to have them taken, which would break it for all', async () => {
    const locks = testClient();
    const other = testClient({ server: locks.server });
    const hold = await locks.getSemaphore('seats', { permits: 2 }).acquire();
    const others = await other.getSemaphore('seats').acquire();
    await expect(locks.lose('seats', 'taken')).rejects.toThrow(
      new RangeError('lose: "seats" is a semaphore, whose permits nobody else can take; choose another reason'),
    );
    expect([hold.state, others.state]).toEqual(['held', 'held']);
    await locks.lose('seats', 'deleted');
    expect([hold.state, others.state]).toEqual(['lost', 'held']);
    await others.release();
    await expect(other.getSemaphore('seats').availablePermits()).resolves.toBe(2);
  });

  it('loses all that readers have, also those with a lease of their own', async () => {
    const locks = testClient();
    const lock = locks.getReadWriteLock('page').readLock();
    const holds = [
      await lock.acquire({ leaseMs: 5_000 }),
      await lock.acquire(),
      await lock.acquire({ maxHoldMs: 9_000 }),
    ];
    await locks.lose('page', 'expired');
    expect(holds.map(({ state }) => state)).toEqual(['lost', 'lost', 'lost']);
    await expectOf(lock).toBeFree();
  });

  it('says so when there is nothing to lose', async () => {
    await expect(testClient().lose('order', 'expired')).rejects.toThrow('does not hold the lock "order"');
  });

  it('keeps its holds through a short outage, and tells the loss of a long one before the lease can have ended', async () => {
    const locks = testClient();
    locks.on('error', () => undefined);
    const hold = await locks.getLock('order').acquire();
    await locks.outage(5_000);
    expect(hold.state).toBe('suspect');
    await locks.advance(6_000);
    expect(hold.state).toBe('held');
    await locks.outage(60_000);
    const call = watched(locks.getLock('other').acquire());
    await locks.advance(30_000);
    expect(hold.state).toBe('lost');
    expect(hold.signal.reason).toMatchObject({ reason: 'unreachable' });
    expect(call.outcome).toBeInstanceOf(LockUnavailableError);
    await locks.advance(31_000);
    await expect(locks.getLock('other').tryLock()).resolves.toBe(true);
  });

  it('shares locks with another client on its server, as two processes do', async () => {
    const one = testClient();
    const other = testClient({ server: one.server });
    const hold = await one.getLock('order').acquire();
    const late = watched(other.getLock('order').acquire({ waitMs: 1_000 }));
    await one.advance(1_000);
    expect(late.outcome).toBeInstanceOf(LockTimeoutError);
    const next = other.getLock('order').acquire();
    await one.advance(0);
    await hold.release();
    await expect(next).resolves.toMatchObject({ state: 'held' });
    const alone = testClient();
    await expect(alone.getLock('order').tryLock()).resolves.toBe(true);
  });

  it('does the same in every run', async () => {
    const run = async () => {
      const server = createTestServer();
      const clients = [testClient({ server }), testClient({ server }), testClient({ server })];
      const seen: string[] = [];
      const work = clients.map(async (client, index) => {
        for (let round = 0; round < 5; round++) {
          await client.getLock('order').withLock(async (hold) => {
            seen.push(`${index} ${hold.remainingMs()} ${JSON.stringify(await client.inspect('order'))}`);
          });
        }
      });
      while ((await Promise.race([Promise.all(work), server.advance(100)])) === undefined);
      return seen;
    };
    const [first, second] = [await run(), await run()];
    expect(first).toHaveLength(15);
    expect(second).toEqual(first);
  });

  it('lives in the time of the process too, which fake timers drive', async () => {
    jest.useFakeTimers();
    const locks = testClient({ time: 'system' });
    await locks.busy('order');
    const tried = watched(locks.getLock('order').tryLock(2_000));
    const hold = await locks.getLock('kept').acquire();
    await jest.advanceTimersByTimeAsync(1_990);
    expect(tried.outcome).toBe('pending');
    await jest.advanceTimersByTimeAsync(20);
    expect(tried.outcome).toBe(false);
    await jest.advanceTimersByTimeAsync(120_000);
    expect(hold.state).toBe('held');
    await expect(locks.advance(1)).rejects.toThrow('advance your fake timers');
  });

  describe('in the time of the process', () => {
    const warned = () => {
      const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
      return () => warn.mock.calls.map(([, told]) => told);
    };
    afterEach(() => void jest.restoreAllMocks());

    it.each([
      ['a lease', (locks: TestLockClient) => locks.getLock('order').acquire({ leaseMs: 1_000 })],
      [
        'a wait',
        (locks: TestLockClient) =>
          locks.busy('order').then(
            () =>
              void locks
                .getLock('order')
                .tryLock(1_000)
                .catch(() => undefined),
          ),
      ],
    ])('warns once of fake timers that leave `performance` alone, by which nothing ends: %s', async (_what, begin) => {
      jest.useFakeTimers({ doNotFake: ['performance'] });
      const told = warned();
      const locks = testClient({ time: 'system' });
      await begin(locks);
      await jest.advanceTimersByTimeAsync(5_000);
      expect(told()).toEqual([{ type: 'HoldfastWarning', code: 'HOLDFAST_FAKE_TIMERS' }]);
    });

    it('warns of nothing where `performance` is faked too, and none are fake', async () => {
      const told = warned();
      const real = testClient({ time: 'system' });
      await real.busy('order');
      await expect(real.getLock('order').tryLock(70)).resolves.toBe(false);
      await real.close();
      jest.useFakeTimers();
      const locks = testClient({ time: 'system' });
      const hold = await locks.getLock('order').acquire({ leaseMs: 1_000 });
      await jest.advanceTimersByTimeAsync(5_000);
      expect(hold.state).toBe('lost');
      expect(told()).toEqual([]);
    });
  });

  it('refuses options that cannot work', () => {
    const server = createTestServer();
    expect(() => createTestClient({ server, time: 'own' })).toThrow('time belongs to the server');
    expect(() => createTestClient({ time: 'mine' as 'own' })).toThrow("time must be 'own' or 'system'");
    expect(() => createTestClient({ server: {} as typeof server })).toThrow('both of this copy of holdfast');
    // @ts-expect-error it has no Redis
    expect(() => createTestClient({ redis: 'redis://localhost' })).toThrow('leave redis out');
  });

  it('refuses an outage without end', async () => {
    await expect(testClient().outage(Number.POSITIVE_INFINITY)).rejects.toThrow(RangeError);
  });

  it('closes by itself with time to drain: what ends in its own time ends, and what does not is lost', async () => {
    const other = testClient();
    await other.busy('order');
    const ending = testClient({ server: other.server });
    const section = ending.getLock('work').withLock(() => other.getLock('order').tryLock(4_000));
    await other.advance(0);
    await ending.close({ drainMs: 10_000 });
    await expect(section).resolves.toBe(false);
    const keeping = testClient();
    const hold = await keeping.getLock('work').acquire();
    await keeping.close({ drainMs: 10_000 });
    expect(hold.signal.reason).toMatchObject({ reason: 'closed' });
  });

  it('closes by itself in an outage, and with time to drain as the test moves it', async () => {
    const locks = testClient();
    locks.on('error', () => undefined);
    const hold = await locks.getLock('order').acquire();
    await locks.outage(60_000);
    await locks.close();
    expect(hold.signal.reason).toMatchObject({ reason: 'closed' });
    const other = testClient();
    const inUse = await other.getLock('order').acquire();
    const closing = watched(other.close({ drainMs: 1_000 }));
    await other.advance(500);
    expect([closing.outcome, inUse.state]).toEqual(['pending', 'held']);
    await other.advance(500);
    // What has arrived is read first.
    await waitUntil(() => closing.outcome === undefined, { what: 'the client is closed' });
    expect(inUse.state).toBe('lost');
  });

  it('closes with time to drain beside a test that moves time on later', async () => {
    const locks = testClient();
    const hold = await locks.getLock('order').acquire();
    const closing = locks.close({ drainMs: 1_000 });
    for (let turns = 0; turns < 3; turns++) await new Promise((resolve) => setImmediate(resolve));
    await locks.advance(1_000);
    await closing;
    expect(hold.state).toBe('lost');
  });

  it('moves time only forward, and one way at once', async () => {
    const locks = testClient();
    await expect(locks.advance(-1)).rejects.toThrow(RangeError);
    const first = locks.advance(1);
    await expect(locks.advance(1)).rejects.toThrow('await one call before the next');
    await first;
  });
});

describe('what another process has', () => {
  it('stays busy through an outage that outlasts every lease', async () => {
    const locks = testClient();
    const other = await locks.busy('order');
    await locks.outage(100_000);
    await locks.advance(200_000);
    await expectOf(locks.getLock('order')).toBeHeld();
    await other.free();
    await expectOf(locks.getLock('order')).toBeFree();
  });

  it('can be freed when it is over in other ways, and nothing happens', async () => {
    const locks = testClient();
    const forced = await locks.busy('order');
    await locks.getLock('order').forceUnlock();
    await expect(forced.free()).resolves.toBeUndefined();
    const closed = await locks.busy('order');
    await locks.close();
    await expect(closed.free()).resolves.toBeUndefined();
  });
});

describe('bad input', () => {
  it('is a clear error', async () => {
    expect(() => createTestServer({ tim: 1 } as never)).toThrow('createTestServer: unknown option "tim"');
    expect(() => createTestClient({ watchdogMs: 1 } as never)).toThrow('createTestClient: unknown option "watchdogMs"');
    expect(() => createTestClient(null as never)).toThrow('createTestClient: options must be an object');
    const locks = testClient();
    await expect(locks.advance('5' as never)).rejects.toThrow('advance: ms must be a number, not string');
    await expect(locks.advance(undefined as never)).rejects.toThrow('advance: ms must be a number, not undefined');
    await expect(locks.outage(undefined as never)).rejects.toThrow('outage: ms must be a number, not undefined');
    const hold = await locks.getLock('order').acquire();
    for (const reason of [undefined, 'typo', 'closed'])
      await expect(locks.lose('order', reason as never)).rejects.toThrow(RangeError);
    expect(hold.state).toBe('held');
  });
});

describe('the matchers', () => {
  it('say what is held, of locks and of holds', async () => {
    const locks = testClient();
    const lock = locks.getLock('order');
    await expectOf(lock).toBeFree();
    await expectOf(lock).not.toBeHeld();
    const hold = await lock.acquire();
    await expectOf(lock).toBeHeld();
    await expectOf(hold).toBeHeld();
    await expect(expectOf(lock).toBeFree()).rejects.toThrow('the lock "order" is held');
    await hold.release();
    await expect(expectOf(hold).toBeHeld()).rejects.toThrow('the hold of "order" (released) is free');
    await expect(expectOf('order').toBeHeld()).rejects.toThrow('a lock or a hold was expected');
  });
});
