import { setMaxListeners } from 'node:events';
import { countCommands, driveTime, seededRandom, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { type LockClient, type LockClientOptions, LockTimeoutError } from 'holdfast';
import { freshName, holdsInRedis, openClient, warmUp } from '../support/clients.js';
import { turns } from '../support/room.js';
import { spawnLockWorker } from '../support/workers.js';

const kit = useRedis();

/** Re-asks far away, so that only messages can be quick. */
const patient: Partial<LockClientOptions> = { reaskMs: 20_000, claimLeaseMs: 30_000 };

const setUp = (options: Partial<LockClientOptions> = {}) => {
  const client = openClient(kit, options);
  const name = freshName();
  const lock = client.getLock(name);
  return { client, name, lock, stranger: openClient(kit, options).getLock(name) };
};

const queued = (client: LockClient, name: string, size: number) =>
  waitUntil(async () => (await client.inspect(name)).queue.length === size, { what: `${size} in the queue` });

/** Nothing of a lock is left, apart from what goes by itself. */
async function expectFree(name: string): Promise<void> {
  await waitUntil(async () => (await kit.admin.exists(name)) === 0, { what: `${name} is free`, timeoutMs: 2_000 });
  const keys = await kit.admin.keys(`*${name}*`);
  for (const key of keys) expect(await kit.admin.pttl(key)).toBeGreaterThan(0);
}

describe('tryLock() without a wait', () => {
  it('answers in no time, also while the lock is held for long, and costs a held lock nothing', async () => {
    driveTime(kit);
    const { lock, stranger, name } = setUp(patient);
    expect(await stranger.tryLock()).toBe(true);
    expect(await lock.tryLock()).toBe(false);
    expect(await lock.tryAcquire()).toBeNull();
    expect(await lock.tryWithLock({}, () => 1)).toEqual({ ran: false });
    expect(await kit.admin.keys(`*${name}*`)).toEqual([name]);
    await stranger.unlock();
    expect(await lock.tryLock()).toBe(true);
    await lock.unlock();
  });

  it('answers in no time while another call of the same client waits in the queue', async () => {
    driveTime(kit);
    const { client, lock, stranger, name } = setUp(patient);
    await stranger.lock();
    const waiting = lock.acquire();
    await queued(client, name, 1);
    expect(await lock.tryLock()).toBe(false);
    await stranger.unlock();
    await (await waiting).release();
  });

  it('many at once: exactly one gets it', async () => {
    const { client, name } = setUp();
    const answers = await Promise.all(Array.from({ length: 30 }, () => client.getLock(name).tryLock()));
    expect(answers.filter(Boolean)).toHaveLength(1);
  });
});

describe('tryLock with a wait', () => {
  it('answers false at its deadline and is not in the queue any more', async () => {
    const time = driveTime(kit);
    const { client, lock, stranger, name } = setUp(patient);
    await stranger.lock();
    for (const waitMs of [100, 300]) {
      const answers: boolean[] = [];
      const call = lock.tryLock(waitMs).then((answer) => answers.push(answer));
      await queued(client, name, 1);
      await time.advance(waitMs - 1);
      expect(answers).toEqual([]);
      await time.advance(1);
      await call;
      expect(answers).toEqual([false]);
      await queued(client, name, 0);
    }
    await stranger.unlock();
    await expectFree(name);
  });

  it('has the lock when another client releases it: it waits for nothing else', async () => {
    driveTime(kit);
    const { client, lock, stranger, name } = setUp(patient);
    await stranger.lock();
    const answer = lock.tryLock(10_000);
    await queued(client, name, 1);
    await stranger.unlock();
    expect(await answer).toBe(true);
    await lock.unlock();
  });

  it('has the lock when another process releases it, long before it would ask again, and the other way round', async () => {
    driveTime(kit);
    const { client, lock, name } = setUp(patient);
    const worker = await spawnLockWorker(kit, patient);
    await worker.call('acquire', name);
    const mine = lock.tryLock(10_000);
    await queued(client, name, 1);
    await worker.call('release');
    expect(await mine).toBe(true);
    const theirs = worker.call('tryAcquire', name, 10_000);
    await queued(client, name, 1);
    await lock.unlock();
    expect(await theirs).toBe(true);
    await worker.call('release');
    await worker.call('close');
  });

  it.each(['queue', 'redisson'] as const)(
    'behind a crashed holder has the lock when the lease ends, long before it would ask again (%s mode)',
    async (wakeup) => {
      const { client, lock, name } = setUp({ ...patient, wakeup });
      // What a process leaves that was killed: its key, and nobody who listens.
      await kit.admin.multi().hset(name, 'gone:1', 1, 'seq', 1).pexpire(name, 600).exec();
      expect(await lock.tryLock(15_000)).toBe(true);
      expect((await client.inspect(name)).owner).toMatchObject({ kind: 'this-client', holdCount: 1 });
      await lock.unlock();
    },
  );

  it('behind a crashed holder whose lease outlasts the wait answers false', async () => {
    const time = driveTime(kit);
    const { client, lock, name } = setUp();
    await kit.admin.multi().hset(name, 'gone:1', 1, 'seq', 1).pexpire(name, 60_000).exec();
    const answer = lock.tryLock(200);
    await queued(client, name, 1);
    await time.advance(200);
    expect(await answer).toBe(false);
  });
});

describe('order', () => {
  it('in one process is first come, first served', async () => {
    const { lock, stranger, client, name } = setUp(patient);
    await stranger.lock();
    const order: number[] = [];
    const calls = Array.from({ length: 20 }, (_, i) => lock.withLock(() => order.push(i)));
    await queued(client, name, 1);
    await stranger.unlock();
    await Promise.all(calls);
    expect(order).toEqual(Array.from({ length: 20 }, (_, i) => i));
  });

  it('across clients is first come, first served', async () => {
    const { name, stranger } = setUp(patient);
    await stranger.lock();
    const order: number[] = [];
    const calls: Promise<unknown>[] = [];
    for (let i = 0; i < 6; i++) {
      const client = openClient(kit, patient);
      calls.push(client.getLock(name).withLock(() => order.push(i)));
      await queued(client, name, i + 1);
    }
    await stranger.unlock();
    await Promise.all(calls);
    expect(order).toEqual([0, 1, 2, 3, 4, 5]);
  });

  it('across clients survives that the first in line gives up, and the next one of its process inherits the place', async () => {
    const { client, name, lock, stranger } = setUp(patient);
    await stranger.lock();
    const order: string[] = [];
    const giveUp = new AbortController();
    const first = lock.acquire({ signal: giveUp.signal });
    const second = lock.withLock(() => order.push('inherits'));
    await queued(client, name, 1);
    const other = openClient(kit, patient);
    const third = other.getLock(name).withLock(() => order.push('other'));
    await queued(client, name, 2);
    giveUp.abort();
    await expect(first).rejects.toBe(giveUp.signal.reason);
    await stranger.unlock();
    await Promise.all([second, third]);
    expect(order).toEqual(['inherits', 'other']);
  });
});

describe('an abort signal', () => {
  it('aborted before the call: rejects with its reason and asks nobody', async () => {
    const { lock } = setUp();
    const counter = await countCommands(kit.admin);
    const reason = new RangeError('changed my mind');
    const signal = AbortSignal.abort(reason);
    await expect(lock.lock({ signal })).rejects.toBe(reason);
    await expect(lock.tryLock(100, undefined, { signal })).rejects.toBe(reason);
    await expect(lock.acquire({ signal })).rejects.toBe(reason);
    await expect(lock.withLock({ signal }, () => 1)).rejects.toBe(reason);
    expect(await counter.delta()).toEqual({});
  });

  it('while it waits: rejects at once, leaves the queue and never holds', async () => {
    const { client, lock, stranger, name } = setUp(patient);
    await stranger.lock();
    const abort = new AbortController();
    const call = lock.lock({ signal: abort.signal });
    await queued(client, name, 1);
    abort.abort();
    await expect(call).rejects.toBe(abort.signal.reason);
    await queued(client, name, 0);
    await stranger.unlock();
    await expectFree(name);
  });

  it('while it enters: rejects and gives back what arrives', async () => {
    const { client, lock, name } = setUp();
    const abort = new AbortController();
    const first = lock.lock({ signal: abort.signal });
    abort.abort();
    await expect(first).rejects.toBe(abort.signal.reason);
    await expectFree(name);
    // Entering a held lock again, and taking over a fixed lease.
    await client.run(async () => {
      await lock.lock();
      const again = new AbortController();
      const nested = lock.lock({ signal: again.signal });
      again.abort();
      await expect(nested).rejects.toBe(again.signal.reason);
      // What is on its way for the aborted call is not what this undoes.
      await lock.unlock();
      await expectFree(name);
    });
    const hold = await lock.acquire({ leaseMs: 5_000 });
    const passed = new AbortController();
    const next = lock.acquire({ leaseMs: 5_000, signal: passed.signal });
    const release = hold.release();
    passed.abort();
    await expect(next).rejects.toBe(passed.signal.reason);
    await release;
    await expectFree(name);
  });

  it('after the lock was had: changes nothing', async () => {
    const { lock } = setUp();
    const abort = new AbortController();
    const hold = await lock.acquire({ signal: abort.signal });
    abort.abort();
    await turns(2);
    expect(hold.state).toBe('held');
    expect(hold.signal.aborted).toBe(false);
    await hold.release();
  });

  it('shared by 50 waiters makes one listener and no warning', async () => {
    const { client, name, stranger } = setUp(patient);
    await stranger.lock();
    const abort = new AbortController();
    let listeners = 0;
    const add = abort.signal.addEventListener.bind(abort.signal);
    abort.signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++;
      add(...args);
    };
    setMaxListeners(2, abort.signal);
    const calls = Array.from({ length: 50 }, () => client.getLock(name).lock({ signal: abort.signal }));
    const settled = Promise.allSettled(calls);
    await queued(client, name, 1);
    expect(listeners).toBe(1);
    abort.abort();
    expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
  });
});

describe('a call that has answered', () => {
  it.each([1, 2, 3, 4])(
    'false or an abort never holds the lock later, however it races with releases (seed %i)',
    async (seed) => {
      const { client, name, stranger } = setUp({ reaskMs: 30, claimLeaseMs: 400 });
      const random = seededRandom(seed);
      const held: { release(): Promise<void> }[] = [];
      for (let round = 0; round < 60; round++) {
        const holder = await stranger.acquire(random.next() < 0.3 ? { leaseMs: 5_000 } : {});
        const abort = new AbortController();
        const calls = Array.from({ length: 3 }, (_, i) =>
          i === 0
            ? client.getLock(name).acquire({ signal: abort.signal })
            : client.getLock(name).tryAcquire({ waitMs: 1 + random.below(6) }),
        );
        const settled = Promise.allSettled(calls);
        await turns(random.below(40));
        const released = holder.release();
        // However slow Redis is, the abort races with the release now, and with the grant then.
        const raced = random.next() < 0.5 ? Promise.resolve() : released;
        const ends = [released, raced.then(() => turns(random.below(12))).then(() => abort.abort())];
        for (const outcome of await settled) {
          if (outcome.status === 'rejected') {
            // The first answer of Redis may take longer than a wait of a millisecond or two.
            if (outcome.reason !== abort.signal.reason)
              expect(outcome.reason).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
          } else if (outcome.value !== null) {
            held.push(outcome.value);
            await outcome.value.release();
          }
        }
        await Promise.all(ends);
      }
      await expectFree(name);
      expect((await client.inspect(name)).queue).toEqual([]);
      expect(client.stats().losses).toEqual({});
      // Of both kinds there were some, else nothing raced.
      const { won, refused, failed } = client.stats().acquisitions;
      expect(won).toBeGreaterThan(0);
      expect(refused + failed).toBeGreaterThan(0);
      expect(held).toHaveLength(won);
    },
  );
});

describe('waiting without limit', () => {
  it('lock() goes on for longer than responseTimeoutMs while Redis answers', async () => {
    const time = driveTime(kit);
    const { client, lock, stranger, name } = setUp({ responseTimeoutMs: 150, reaskMs: 400, claimLeaseMs: 1_000 });
    await stranger.lock();
    let settled = false;
    const call = lock.lock().finally(() => (settled = true));
    for (let i = 0; i < 20; i++) {
      await queued(client, name, 1);
      await time.advance(100);
      expect(settled).toBe(false);
    }
    await stranger.unlock();
    await call;
    expect(await holdsInRedis(kit, name)).toBe(1);
    await lock.unlock();
  });

  it('acquire() and withLock() with waitMs reject with LockTimeoutError at the deadline', async () => {
    const time = driveTime(kit);
    const { client, lock, stranger, name } = setUp();
    await stranger.lock();
    let ran = false;
    const calls = [() => lock.acquire({ waitMs: 100 }), () => lock.withLock({ waitMs: 100 }, () => (ran = true))];
    for (const call of calls) {
      const failing = call().then(undefined, (reason: unknown) => reason);
      await queued(client, name, 1);
      await time.advance(100);
      const error = await failing;
      expect(error).toBeInstanceOf(LockTimeoutError);
      expect(error).toMatchObject({ code: 'LOCK_TIMEOUT', lockName: lock.name, waitedMs: 100 });
      await queued(client, name, 0);
    }
    expect(ran).toBe(false);
  });
});

describe('a waiter on a held lock', () => {
  it.each([
    ['queue', { evalsha: 1 + 10, eval: 1, subscribe: 0 }],
    ['redisson', { evalsha: 2 + 10, eval: 0, subscribe: 1 }],
  ] as const)('sends one command every R and no more (%s mode)', async (wakeup, expected) => {
    const time = driveTime(kit);
    const { client, name, stranger } = setUp({ reaskMs: 100, claimLeaseMs: 500, wakeup });
    await stranger.lock();
    await warmUp(kit, client);
    let looks = 0;
    // Its answer comes behind all that was asked before.
    const look = async () => {
      looks++;
      return client.inspect(name);
    };
    const listens = async () =>
      String(await kit.admin.pubsub('NUMSUB', `redisson_lock__channel:{${name}}`)).endsWith('1');
    const counter = await countCommands(kit.admin);
    const calls = Array.from({ length: 10 }, () => client.getLock(name).tryLock(1_050));
    const answers = Promise.all(calls);
    if (wakeup === 'redisson') await waitUntil(listens, { what: 'it listens' });
    await look();
    await look();
    for (let ms = 0; ms < 1_050; ms += 50) {
      await time.advance(50);
      await look();
    }
    expect(await answers).toEqual(calls.map(() => false));
    const { evalsha = 0, eval: inFull = 0, subscribe = 0 } = await counter.delta();
    // The first ask, in Redisson mode a second one behind the subscription, one every R, and what ends the wait: the first of it on a connection in full.
    expect({ evalsha: evalsha - looks, eval: inFull, subscribe }).toEqual(expected);
  });
});
