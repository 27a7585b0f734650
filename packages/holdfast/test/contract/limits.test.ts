import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { countCommands, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type LimitOptions, type LockClient, LockLimitError, type RLock } from 'holdfast';
import { createTestClient } from 'holdfast/testing';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { Gate, turns } from '../support/room.js';

const kit = useRedis();

/** Re-asks and renewals are far away: what is sent is what the calls send. */
const patient = { reaskMs: 20_000, claimLeaseMs: 60_000, watchdogTimeoutMs: 300_000 };

const setUp = (limits: LimitOptions) => {
  const client = openClient(kit, { ...patient, limits });
  const lock = (name: string = freshName()) => client.getLock(name);
  return { client, lock, limited: () => client.stats().limited };
};

const limit = (lock: RLock, which: string, value: number) =>
  expect.objectContaining({
    code: 'LOCK_LIMIT',
    name: 'LockLimitError',
    lockName: lock.name,
    limit: which,
    value,
  }) as unknown;

/** Scripts that were run since; those that are still on their way have answered first. */
async function scriptsDuring(work: () => Promise<unknown>): Promise<number> {
  const counter = await countCommands(kit.admin);
  await work();
  await turns(5);
  const { evalsha = 0, eval: whole = 0 } = await counter.delta();
  return evalsha + whole;
}

/** Every way to ask for a lock once, so that nothing is held afterwards. */
const asking: readonly [string, (lock: RLock, leaseMs?: number) => Promise<unknown>][] = [
  ['lock', (lock, leaseMs) => lock.lock(leaseMs)],
  ['tryLock', (lock, leaseMs) => lock.tryLock(0, leaseMs)],
  ['acquire', (lock, leaseMs) => lock.acquire({ ...(leaseMs && { leaseMs }) })],
  ['tryAcquire', (lock, leaseMs) => lock.tryAcquire({ ...(leaseMs && { leaseMs }) })],
  ['withLock', (lock, leaseMs) => lock.withLock({ ...(leaseMs && { leaseMs }) }, () => undefined)],
  ['tryWithLock', (lock, leaseMs) => lock.tryWithLock({ ...(leaseMs && { leaseMs }) }, () => undefined)],
];

describe('limits.leaseMs', () => {
  it.each(asking)('refuses a longer lease from %s before anything is sent', async (_, ask) => {
    const { lock, limited } = setUp({ leaseMs: 300_000 });
    const asked = lock();
    expect(
      await scriptsDuring(async () => expect(await failureOf(ask(asked, 300_001))).toBeInstanceOf(LockLimitError)),
    ).toBe(0);
    expect(await failureOf(ask(asked, 300_001))).toEqual(limit(asked, 'leaseMs', 300_000));
    expect(limited()).toEqual({ leaseMs: 2 });
  });

  it.each(['getLock', 'getFairLock', 'getFencedLock', 'getSpinLock', 'readLock', 'writeLock', 'getMultiLock'] as const)(
    'refuses a longer lease from extend() of %s before anything is sent, and the hold stays as it was',
    async (kind) => {
      const { client, limited } = setUp({ leaseMs: 300_000 });
      const name = freshName();
      const lockOf = () => {
        if (kind === 'getMultiLock') return client.getMultiLock([name, client.getFairLock(freshName())]);
        return kind === 'readLock' || kind === 'writeLock' ? client.getReadWriteLock(name)[kind]() : client[kind](name);
      };
      await using hold = await lockOf().acquire();
      let failure: unknown;
      expect(await scriptsDuring(async () => (failure = await failureOf(hold.extend(300_001))))).toBe(0);
      expect(failure).toMatchObject({ code: 'LOCK_LIMIT', limit: 'leaseMs' });
      expect(hold.state).toBe('held');
      expect(limited()).toEqual({ leaseMs: 1 });
      expect(client.stats().acquisitions).toMatchObject({ failed: 0, successRate: 1 });
      await hold.extend(300_000);
    },
  );

  it('refuses a longer lease of permits: from extend(), of an id, and one that never ends', async () => {
    const { client } = setUp({ leaseMs: 300_000 });
    const name = freshName();
    kit.cleanup(async () => void (await kit.admin.del(name)));
    await using hold = await client.getSemaphore(name, { permits: 2 }).acquire();
    const ids = client.getPermitExpirableSemaphore(name);
    const id = await ids.acquire(1_000);
    const tooLong = [
      () => hold.extend(300_001),
      () => ids.updateLeaseTime(id, 300_001),
      () => ids.updateLeaseTime(id, 'never'),
      () => ids.acquire('never'),
      () => client.getSemaphore(name).acquire(1, { leaseMs: 'never' }),
    ];
    for (const ask of tooLong) {
      let failure: unknown;
      expect(await scriptsDuring(async () => (failure = await failureOf(ask())))).toBe(0);
      expect(failure).toMatchObject({ code: 'LOCK_LIMIT', lockName: name, limit: 'leaseMs', value: 300_000 });
    }
    await ids.release(id);
  });

  it('of any client that has a member is that of a multi-lock, and nothing is sent for the others', async () => {
    const [strict, other] = [setUp({ leaseMs: 300_000 }), setUp({})];
    await using hold = await strict.client.getMultiLock([strict.lock(), other.lock()]).acquire();
    let failure: unknown;
    expect(await scriptsDuring(async () => (failure = await failureOf(hold.extend(300_001))))).toBe(0);
    expect(failure).toBeInstanceOf(LockLimitError);
    expect(hold.state).toBe('held');
  });

  it.each<[string, (client: LockClient, name: string) => Promise<unknown>]>([
    ['minHoldMs', (client, name) => client.getLock(name).withLock({ minHoldMs: 300_001 }, () => 'ran')],
    ['minHoldMs of a multi-lock', (client, name) => client.getMultiLock([name]).acquire({ minHoldMs: 300_001 })],
    ['the period of oncePer', (client, name) => client.oncePer(name, 300_001, () => 'ran')],
  ])('refuses %s above it before anything is sent', async (_, ask) => {
    const { client, limited } = setUp({ leaseMs: 300_000 });
    const name = freshName();
    let failure: unknown;
    expect(await scriptsDuring(async () => (failure = await failureOf(ask(client, name))))).toBe(0);
    expect(failure).toMatchObject({ code: 'LOCK_LIMIT', lockName: name, limit: 'leaseMs', value: 300_000 });
    expect(limited()).toEqual({ leaseMs: 1 });
    expect(await client.getLock(name).isLocked()).toBe(false);
  });

  it('grants the lease it names', async () => {
    const { lock } = setUp({ leaseMs: 300_000 });
    await using hold = await lock().acquire({ leaseMs: 300_000 });
    expect(hold.remainingMs()).toBeGreaterThan(200_000);
  });

  it('refuses a longer lease of a nested call too, and the hold around it stays as it was', async () => {
    const { lock } = setUp({ leaseMs: 300_000 });
    const asked = lock();
    await asked.withLock(async (hold) => {
      expect(await failureOf(asked.withLock({ leaseMs: 400_000 }, () => undefined))).toEqual(
        limit(asked, 'leaseMs', 300_000),
      );
      expect(hold.state).toBe('held');
      expect(await holdsInRedis(kit, asked.name)).toBe(1);
    });
    expect(await holdsInRedis(kit, asked.name)).toBe(0);
  });
});

describe('limits.locks', () => {
  it.each(asking)('refuses one name more from %s before anything is sent', async (_, ask) => {
    const { lock, limited } = setUp({ locks: 2 });
    await using first = await lock().acquire();
    await using second = await lock().acquire();
    const third = lock();
    expect(await scriptsDuring(async () => expect(await failureOf(ask(third))).toBeInstanceOf(LockLimitError))).toBe(0);
    expect(await failureOf(ask(third))).toEqual(limit(third, 'locks', 2));
    expect([first.state, second.state]).toEqual(['held', 'held']);
    expect(limited()).toEqual({ locks: 2 });
  });

  it('counts no name twice: what is held can be entered and waited for', async () => {
    const { lock } = setUp({ locks: 1 });
    const asked = lock();
    const hold = await asked.acquire();
    const waiting = asked.withLock(() => 'served');
    expect(await hold.run(() => asked.withLock(() => 'inside'))).toBe('inside');
    await hold.release();
    expect(await waiting).toBe('served');
  });

  it('lets the next name in when one has been given back, also when it was asked for in vain', async () => {
    const { lock } = setUp({ locks: 1 });
    const elsewhere = openClient(kit);
    for (let i = 0; i < 20; i++) {
      const name = freshName();
      await using _held = await elsewhere.getLock(name).acquire();
      expect(await lock(name).tryLock()).toBe(false);
      await lock(name)
        .acquire({ waitMs: 5 })
        .catch(() => undefined);
      expect(await lock().withLock(() => i)).toBe(i);
    }
  });

  it('counts a name once for each kind of lock under it', async () => {
    const { client, lock } = setUp({ locks: 2 });
    const elsewhere = openClient(kit, patient);
    const name = freshName();
    const hold = await elsewhere.getLock(name).acquire();
    const waiting = [client.getLock(name).withLock(() => 1), client.getFairLock(name).withLock(() => 2)];
    const third = client.getReadWriteLock(name).readLock();
    expect(await failureOf(third.acquire())).toEqual(limit(lock(name), 'locks', 2));
    await hold.release();
    expect(await Promise.all(waiting)).toEqual([1, 2]);
  });

  it('counts what a client holds, not what it asks about', async () => {
    const { client, lock } = setUp({ locks: 1 });
    await using _held = await lock().acquire();
    expect(await lock().isLocked()).toBe(false);
    expect(await client.inspect(freshName())).toMatchObject({ owner: undefined });
    expect(await lock().forceUnlock()).toBe(false);
  });
});

describe('limits.depth', () => {
  it.each(asking)('refuses one level more from %s before anything is sent, and undoes nothing', async (_, ask) => {
    const { client, lock, limited } = setUp({ depth: 2 });
    const asked = lock();
    await client.run(() =>
      asked.withLock(() =>
        asked.withLock(async (inner) => {
          expect(
            await scriptsDuring(async () => expect(await failureOf(ask(asked))).toBeInstanceOf(LockLimitError)),
          ).toBe(0);
          expect(await failureOf(ask(asked))).toEqual(limit(asked, 'depth', 2));
          expect(inner.state).toBe('held');
          expect(await holdsInRedis(kit, asked.name)).toBe(2);
        }),
      ),
    );
    expect(await holdsInRedis(kit, asked.name)).toBe(0);
    expect(limited()).toEqual({ depth: 2 });
  });

  it('is of each lock by itself', async () => {
    const { lock } = setUp({ depth: 1 });
    const [one, other] = [lock(), lock()];
    expect(await one.withLock(() => other.withLock(() => 'both'))).toBe('both');
  });

  it('is that of calls which waited together and may all enter at once, too', async () => {
    const { client, lock } = setUp({ depth: 2 });
    const asked = lock();
    const elsewhere = await openClient(kit, patient).getLock(asked.name).acquire();
    const mine = client.getLock(asked.name, { owner: 'me' });
    const leave = new Gate();
    const calls = [1, 2, 3].map((n) => mine.withLock(() => leave.opened.then(() => n)));
    await waitUntil(async () => (await client.inspect(asked.name)).queue.length === 1, { what: 'they wait' });
    // They may be told of it before who gives it back is.
    const refused = failureOf(calls[2] as Promise<unknown>);
    await elsewhere.release();
    expect(await refused).toEqual(limit(asked, 'depth', 2));
    leave.open();
    expect(await Promise.all(calls.slice(0, 2))).toEqual([1, 2]);
    expect(await holdsInRedis(kit, asked.name)).toBe(0);
  });

  it('1,000 deep is the default, and one more is refused', async () => {
    // In memory: two thousand round trips take as long as a busy machine likes.
    const client = createTestClient();
    const asked = client.getLock(freshName());
    let deepest = 0;
    const descend = async (depth: number): Promise<void> =>
      asked.withLock(async () => {
        deepest = depth;
        if (depth > 1_000) return;
        const failure = await failureOf(descend(depth + 1));
        if (depth === 1_000) expect(failure).toEqual(limit(asked, 'depth', 1_000));
      });
    await descend(1);
    expect(deepest).toBe(1_000);
    expect(await asked.isLocked()).toBe(false);
    await client.close();
  });
});

describe('limits.waiters', () => {
  it.each(asking)('refuses one call more from %s before anything is sent, whatever lock it is for', async (_, ask) => {
    const { client, lock, limited } = setUp({ waiters: 2 });
    const busy = lock();
    const hold = await busy.acquire();
    const waiting = [busy.withLock(() => 1), client.getLock(busy.name).withLock(() => 2)];
    const free = lock();
    expect(await scriptsDuring(async () => expect(await failureOf(ask(free))).toBeInstanceOf(LockLimitError))).toBe(0);
    expect(await failureOf(ask(free))).toEqual(limit(free, 'waiters', 2));
    expect(limited()).toEqual({ waiters: 2 });
    await hold.release();
    expect(await Promise.all(waiting)).toEqual([1, 2]);
    await ask(free);
    expect(limited()).toEqual({ waiters: 2 });
  });

  it('keeps nobody out who is inside already, nor who would not wait', async () => {
    const { lock } = setUp({ waiters: 1 });
    const busy = lock();
    const hold = await busy.acquire();
    const waiting = busy.withLock(() => 'served');
    expect(await hold.run(() => busy.withLock(() => 'inside'))).toBe('inside');
    expect(await busy.tryLock()).toBe(false);
    await hold.release();
    expect(await waiting).toBe('served');
  });

  it('keeps no branch of a holder out, which waits for another branch only', async () => {
    const { lock, limited } = setUp({ waiters: 2 });
    const busy = lock();
    const hold = await busy.acquire();
    const waiting = [busy.withLock(() => 1), busy.withLock(() => 2)];
    const branch = () => busy.withLock(() => turns(3).then(() => 'inside'));
    expect(await hold.run(() => Promise.all([branch(), branch(), branch()]))).toEqual(['inside', 'inside', 'inside']);
    await hold.release();
    expect(await Promise.all(waiting)).toEqual([1, 2]);
    expect(limited()).toEqual({});
  });

  it('counts nobody who has been answered: served, timed out, aborted, refused or lost', async () => {
    const { client, lock, limited } = setUp({ waiters: 3 });
    const busy = lock();
    for (let i = 0; i < 5; i++) {
      const stop = new AbortController();
      const hold = await busy.acquire();
      const aborted = failureOf(busy.acquire({ signal: stop.signal }));
      const timedOut = failureOf(busy.acquire({ waitMs: 1 }));
      client.run(() => void failureOf(busy.lock()));
      stop.abort(new Error('enough'));
      expect(await aborted).toEqual(new Error('enough'));
      expect(await timedOut).toMatchObject({ code: 'LOCK_TIMEOUT' });
      const bounced = busy.withLock(() => 'after the loss');
      await busy.forceUnlock();
      expect(await bounced).toBe('after the loss');
      await failureOf(hold.release());
    }
    const held = await busy.acquire();
    const served = [1, 2, 3].map((n) => busy.withLock(() => n));
    await held.release();
    expect(await Promise.all(served)).toEqual([1, 2, 3]);
    expect(limited()).toEqual({});
  });

  it('leaves a client that was flooded as it was', async () => {
    const { lock, limited } = setUp({ waiters: 100 });
    const busy = lock();
    const hold = await busy.acquire();
    const calls = Array.from({ length: 1_000 }, () => failureOf(busy.withLock(() => undefined)));
    await hold.release();
    const failures = (await Promise.all(calls)).filter((failure) => failure !== undefined);
    expect(failures).toHaveLength(900);
    expect(failures.every((failure) => failure instanceof LockLimitError)).toBe(true);
    expect(limited()).toEqual({ waiters: 900 });
    expect(await holdsInRedis(kit, busy.name)).toBe(0);
  });
});

describe('a refusal above a limit', () => {
  it('is counted among what was tried and failed', async () => {
    const { client, lock } = setUp({ depth: 1, locks: 1, leaseMs: 300_000 });
    const asked = lock();
    await asked.withLock(async () => {
      await failureOf(asked.withLock(() => undefined));
      await failureOf(lock().lock());
      await failureOf(asked.lock(400_000));
    });
    const { acquisitions, limited } = client.stats();
    expect(acquisitions).toEqual({ tried: 4, won: 1, found: 0, refused: 0, failed: 3, successRate: 0.25 });
    expect(limited).toEqual({ depth: 1, locks: 1, leaseMs: 1 });
  });

  it('opens no connection', async () => {
    let visits = 0;
    const server = createServer((socket) => {
      visits++;
      socket.destroy();
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    kit.cleanup(() => new Promise((closed) => server.close(closed)));
    const redis = `redis://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const client = openClient(kit, { redis, ...patient, limits: { leaseMs: 300_000 } });
    const refused = client.getLock('lock');
    expect(await failureOf(refused.lock(400_000))).toEqual(limit(refused, 'leaseMs', 300_000));
    await client.close();
    expect(visits).toBe(0);
  });
});
