import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { inboxChannel, share } from '@holdfast/core';
import { driveTime, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold, Leadership, LockClient, LockLostReason, RLock } from 'holdfast';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';
import { stall } from '../support/stall.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';
import { turns } from '../support/room.js';

const kit = useRedis();

/** The first to see that a lease is over may be a call, before any timer: nothing may hang on which of the two it is. */
describe('a lease that ends while the event loop stands still', () => {
  it('is found by the next call, whose own hold is re-entered, counted and given back', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    const lost = await lock.acquire({ leaseMs: 100 });
    stall(200);
    const nested = await lock.withLock(async () => {
      expect(await lock.getHoldCount()).toBe(1);
      return lock.tryWithLock({ waitMs: 10_000 }, () => 're-entered');
    });
    expect(nested).toEqual({ ran: true, value: 're-entered' });
    expect(await holdsInRedis(kit, lock.name)).toBe(0);
    expect(await failureOf(lost.release())).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('is found by close(), which gives back what was acquired since', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    const lost = await lock.acquire({ leaseMs: 100 });
    stall(200);
    await lock.acquire();
    await client.close();
    expect(await holdsInRedis(kit, lock.name)).toBe(0);
    expect(await failureOf(lost.release())).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('while a client drains costs no hold whose work was done in time: what it waited for is read first', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    let closed: Promise<void> | undefined;
    const outcome = lock.withLock(async () => {
      closed = client.close({ drainMs: 100 });
      const work = kit.admin.ping();
      await turns(1);
      stall(300);
      await work;
      return 'done';
    });
    expect(await failureOf(outcome)).toBeUndefined();
    await closed;
  });

  it.each<
    [
      string,
      (client: LockClient, name: string, fn: (had: { signal: AbortSignal }) => void) => Promise<unknown>,
      locks?: number,
    ]
  >([
    ['withLock', (client, name, fn) => client.getLock(name).withLock(fn)],
    ['tryWithLock', (client, name, fn) => client.getFencedLock(name).tryWithLock(fn)],
    ['withLock of several', (client, name, fn) => client.getMultiLock([name, `${name}-2`]).withLock(fn), 2],
    ['a read lock', (client, name, fn) => client.getReadWriteLock(name).readLock().withLock(fn)],
    ['campaign', (client, name, fn) => client.election(name).campaign((leadership) => fn(leadership))],
  ])('after the answer begins no section, as of %s: another process may be inside', async (_, section, locks = 1) => {
    const time = driveTime(kit);
    const client = openClient(kit);
    let acquired = 0;
    let stepsAfter = 0;
    // Whoever listens there runs between the answer and the section, and so may what it leaves for later in that turn.
    const dawdle = async () => {
      if (++acquired < locks) return;
      for (let step = 0; step < stepsAfter; step++) await Promise.resolve();
      time.jump(40_000);
    };
    const listener = () => void dawdle();
    subscribe('holdfast:acquired', listener);
    kit.cleanup(() => void unsubscribe('holdfast:acquired', listener));
    const begun: boolean[] = [];
    for (; begun.length < 2; stepsAfter++) {
      acquired = 0;
      await failureOf(section(client, freshName(), ({ signal }) => void begun.push(signal.aborted)));
    }
    expect(begun).not.toContain(true);
    expect(stepsAfter).toBeGreaterThan(2);
  });

  it('in the middle of a release leaves no lock to nobody: who waits gets it and can give it back', async () => {
    const time = driveTime(kit);
    const proxy = await openProxy(kit);
    const lock = openClient(kit, { redis: proxy.url }).getLock(freshName());
    const hold = await lock.acquire({ leaseMs: 8_000 });
    const waiting = lock.acquire();
    // Redis passes the lock on in time. Whether the client reads that before it looks at the lease would be luck.
    proxy.hold('down');
    // Whoever listens there runs in the middle of the release.
    const dawdle = () => time.jump(8_500);
    subscribe('holdfast:released', dawdle);
    kit.cleanup(() => void unsubscribe('holdfast:released', dawdle));
    const released = failureOf(hold.release());
    unsubscribe('holdfast:released', dawdle);
    await waitUntil(() => proxy.heldBytes > 0, { what: 'an answer to the release' });
    await time.advance(0);
    expect(await released).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await proxy.heal();
    time.flow();
    await (await waiting).release();
    expect(await holdsInRedis(kit, lock.name)).toBe(0);
  });

  it.each<[string, LockLostReason, (hold: Hold, lock: RLock) => unknown]>([
    ['a nested call', 'clock', (hold, lock) => hold.run(() => lock.acquire({ leaseMs: 20_000 }))],
    ['an extension', 'expired', (hold) => hold.extend(20_000)],
  ])(
    'was lost by its end, also where the first to be read is what Redis has answered to %s behind it',
    async (_, reason, ask) => {
      const time = driveTime(kit);
      const proxy = await openProxy(kit);
      const lock = openClient(kit, { redis: proxy.url }).getLock(freshName());
      const hold = await lock.acquire({ leaseMs: 8_000 });
      // As if the lease had ended in Redis.
      await kit.admin.del(lock.name);
      proxy.hold('down');
      const asked = failureOf(Promise.resolve(ask(hold, lock)));
      await waitUntil(() => proxy.heldBytes > 0, { what: 'an answer' });
      time.jump(8_500);
      await proxy.heal();
      expect(await asked).toMatchObject({ code: 'LOCK_LOST', reason });
      expect(hold.signal.reason).toMatchObject({ reason });
    },
  );

  it.each<[string, (leadership: Leadership) => unknown]>([
    ['settles behind it', () => undefined],
    ['resigns behind it', (leadership) => leadership.resign()],
  ])('is told as a loss to the signal of a leader whose function %s', async (_, next) => {
    const client = openClient(kit, { watchdogTimeoutMs: 300 });
    let signal: AbortSignal | undefined;
    const campaign = client.election(freshName()).campaign((leadership) => {
      ({ signal } = leadership);
      stall(400);
      return next(leadership);
    });
    expect(await failureOf(campaign)).toMatchObject({ code: 'LOCK_LOST' });
    expect(signal?.reason).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('sends the call that was being let in back to its place, before the line asks again', async () => {
    // By a clock that stands: the lock is passed on in memory only as long as it is known who else waits, and nothing else may be late.
    const time = driveTime(kit);
    const client = openClient(kit);
    const name = freshName();
    const hold = await client.getLock(name).acquire();
    const next = client.getLock(name).acquire();
    const later = client.getLock(name, { owner: 'later' }).acquire();
    const released = hold.release();
    time.jump(40_000);
    const first = await next;
    expect((await client.inspect(name)).owner?.id).not.toMatch(/^later/);
    await first.release();
    await (await later).release();
    await released;
  });
});

describe('an event loop that stood still for longer than a server may be silent', () => {
  const connections = async () => Number(/total_connections_received:(\d+)/.exec(await kit.admin.info('stats'))?.[1]);

  it('replaces no connection: the answers are there, and only unread', async () => {
    const client = openClient(kit, { attemptTimeoutMs: 400 });
    const lock = client.getLock(freshName());
    await Promise.all([1, 2].map(() => lock.withLock(() => undefined)));
    await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', inboxChannel(client.clientId))).length === 1, {
      what: 'both connections',
    });
    await lock.isLocked(); // Redis knows the script
    const before = await connections();
    for (let round = 0; round < 2; round++) {
      const asked = lock.isLocked();
      stall(1_300); // three attempts are 1,200 ms
      expect(await asked).toBe(false);
    }
    expect(await connections()).toBe(before);
  });

  it('keeps the connection for messages that was asked whether it still hears: the answer is there, and only unread', async () => {
    const client = openClient(kit, { attemptTimeoutMs: 200, reaskMs: 100 });
    const lock = client.getLock(freshName());
    await openClient(kit).getLock(lock.name).acquire();
    const inbox = inboxChannel(client.clientId);
    const listening = async () =>
      [...String(await kit.admin.client('LIST', 'TYPE', 'PUBSUB')).matchAll(/^id=\d+/gm)].map(([id]) => id).sort();
    const waiting = lock.acquire();
    await waitUntil(async () => (await client.inspect(lock.name)).queue.length === 1, { what: 'a place in line' });
    const before = await listening();
    // Nobody is told: it finds out when it asks again, and looks at the connection on which it was told nothing.
    await kit.admin.del(lock.name);
    await waiting;
    stall(800);
    await waitUntil(async () => (await kit.admin.pubsub('CHANNELS', inbox)).length === 1, { what: 'a connection' });
    expect(await listening()).toEqual(before);
    expect(before).not.toEqual([]);
  });

  it('ends no handshake that was under way', async () => {
    const proxy = await openProxy(kit);
    proxy.hold('down');
    const client = openClient(kit, { attemptTimeoutMs: 100, redis: proxy.url });
    const asked = client.getLock(freshName()).isLocked();
    await waitUntil(() => proxy.heldBytes > 0, { what: 'a handshake that is answered' });
    const before = await connections();
    const healed = proxy.heal();
    stall(1_200); // a handshake has 1,000 ms
    await healed;
    expect(await asked).toBe(false);
    expect(await connections()).toBe(before);
  });

  it('does not count as silent because the server did not know the script: it has said so', async () => {
    const client = openClient(kit, { attemptTimeoutMs: 400 });
    const lock = client.getLock(freshName());
    await lock.withLock(() => undefined);
    await kit.admin.script('FLUSH');
    const got = lock.tryLock(1_000);
    stall(1_300);
    // Its time is over: whether the script is there and answered before that is judged is luck, and that Redis is not called unreachable is none.
    if (await got) await lock.unlock();
  });
});

describe('an event loop that stood still for longer than a call may wait for an answer', () => {
  const times = { attemptTimeoutMs: 200, responseTimeoutMs: 300 };
  /** Connected, and the server knows what `call` asks it. */
  const warm = async (call: (client: LockClient, name: string) => Promise<unknown>) => {
    const client = openClient(kit, times);
    await call(client, freshName());
    return client;
  };
  const nextLeader = async (client: LockClient, name: string) => {
    const observed = client.election(name).observe();
    try {
      return await observed.next();
    } finally {
      await observed.return?.();
    }
  };

  it.each([0, 20, undefined])('answers who waits for a latch what it has been told (waitMs: %s)', async (waitMs) => {
    const name = freshName();
    const client = await warm((own, other) => own.getCountDownLatch(other).await(0));
    await client.getCountDownLatch(name).trySetCount(1);
    const waiting = client.getCountDownLatch(name).await(waitMs);
    const reached = client.getCountDownLatch(freshName()).await(waitMs);
    stall(600);
    expect(await reached).toBe(true);
    if (waitMs === undefined) await client.getCountDownLatch(name).countDown();
    expect(await waiting).toBe(waitMs === undefined);
    await client.getCountDownLatch(name).delete();
  });

  it.each<[string, (client: LockClient, name: string) => Promise<unknown>]>([
    ['tryWithLock', (client, name) => client.getLock(name).tryWithLock(() => 'it')],
    ['oncePer', (client, name) => client.oncePer(name, 100, () => 'it')],
    [
      'tryWithPermits',
      async (client, name) => {
        const tried = await client.getSemaphore(name, { permits: 1 }).tryWithPermits({}, () => 'it');
        await kit.admin.del(name);
        return tried;
      },
    ],
    ['tryWithLock of two', (client, name) => client.getMultiLock([name, `${name}-2`]).tryWithLock(() => 'it')],
  ])('turns no single attempt away, of %s, that nobody else is before', async (_, attempt) => {
    const client = await warm(attempt);
    const name = freshName();
    const attempted = attempt(client, name);
    // Before it is sent, or behind that.
    setImmediate(() => stall(600));
    expect(await attempted).toEqual({ ran: true, value: 'it' });
    await kit.admin.del(name);
  });

  it('lets an observation see who leads', async () => {
    const client = await warm(nextLeader);
    const step = nextLeader(client, freshName());
    stall(600);
    expect(await step).toEqual({ done: false, value: undefined });
  });

  it('fails no query, and no release: of a lock, of a hold inside another, of a permit', async () => {
    const cycle = async (client: LockClient, name: string, halt: () => void) => {
      const lock = client.getLock(name, { owner: 'task' });
      const permits = client.getSemaphore(`${name}-permits`, { permits: 2 });
      const asked = lock.isLocked();
      halt();
      expect(await asked).toBe(false);
      const permit = await permits.acquire(2);
      const outer = await lock.acquire();
      const inner = await lock.acquire();
      for (const release of [() => inner.release(), () => outer.release(), () => permit.release(1)]) {
        const released = release();
        halt();
        await released;
      }
      await permit.release();
      await kit.admin.del(permits.name);
    };
    const client = await warm((own, name) => cycle(own, name, () => undefined));
    await cycle(client, freshName(), () => stall(600));
  });

  it('connects, and lists locks: also when what was read is only the first of several answers', async () => {
    const name = freshName();
    const prefix = `${name}:`;
    const client = openClient(kit, { ...times, prefix });
    const connected = client.connect();
    stall(600);
    await connected;
    const hold = await client.getLock(name).acquire();
    const fresh = openClient(kit, { ...times, prefix });
    // It has to connect before, and then to ask for a page.
    for (const each of [fresh, fresh]) {
      const first = each.listLocks().next();
      await turns();
      stall(600);
      expect(await first).toMatchObject({ value: { name } });
    }
    await hold.release();
  });

  it('tells a value that was shared to who waits for it', async () => {
    const name = freshName();
    const [client, other] = [openClient(kit, times), openClient(kit, times)];
    await other.share(name, { ttlMs: 60_000, fn: () => 'shared' });
    await client.share(freshName(), { ttlMs: 1, fn: () => 'warm' });
    await other.getLock(name).withLock(async () => {
      const got = client.share(name, { ttlMs: 60_000, waitMs: 300, fn: () => 'another' });
      stall(600);
      expect(await got).toBe('shared');
    });
    await kit.admin.del(share.shareKeys(name).value);
  });
});
