/** What needs a world of its own: driven time, processes that die, bad input, Redisson's hand on the counter. */
import { semaphoreKeys } from '@holdfast/core';
import { direct, type Network, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock, seededRandom, useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Redis } from 'ioredis';
import type { LockClient, PermitHold } from 'holdfast';
import { createTestClient, createTestServer } from 'holdfast/testing';
import type { TestSite } from '../../src/testing/test-server.js';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { SemaphoreOperations } from '../../src/primitives/semaphore-operations.js';
import { freshName, openClient } from '../support/clients.js';
import { Gate, turns } from '../support/room.js';

describe('in time that is driven', () => {
  const open: LockClient[] = [];
  afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));
  const processes = () => {
    const server = createTestServer();
    const clients = [createTestClient({ server }), createTestClient({ server })] as const;
    open.push(...clients);
    return { server, one: clients[0], two: clients[1] };
  };

  it('a lease that never ends is kept for weeks, however the permits were granted, and is looked at and not renewed', async () => {
    const { server, one, two } = processes();
    const pool = one.getSemaphore('pool', { permits: 1 });
    const first = await pool.acquire(1, { leaseMs: 'never' });
    const waiting = two.getSemaphore('pool').acquire(1, { leaseMs: 'never' });
    await server.advance(100);
    await first.release();
    await server.advance(0);
    const second = await waiting;
    await server.advance(30 * 60_000);
    const { renewed, held } = two.stats().renewals;
    // Each third of watchdogTimeoutMs: an idle hold is 1 of the 100 that one command looks at.
    expect([second.state, renewed <= 1, held]).toEqual(['held', true, expect.closeTo(180, -1)]);
    await second.extend(60_000);
    await server.advance(120_000);
    expect(second.state).toBe('held');
    expect(await pool.availablePermits()).toBe(0);
    await second.release();
    expect(await pool.availablePermits()).toBe(1);
  });

  it('inspect() counts what a lease has ended of as free, though nobody has taken it out yet', async () => {
    const { server, one } = processes();
    const pool = one.getPermitExpirableSemaphore('pool', { permits: 2 });
    await pool.acquire(1_000);
    expect(await pool.inspect()).toMatchObject({ permits: 2, available: 1, holders: [{ permits: 1 }] });
    await server.advance(1_500);
    expect(await pool.inspect()).toMatchObject({ permits: 2, available: 2, holders: [] });
  });

  it('the renewal of a lease that never ends says that it lasts, and not that there is something to repair', () => {
    const granting = { claimMs: 1_000, trust: true };
    const endless = new SemaphoreOperations(semaphoreKeys('pool'), granting, 0, { permits: 1, ends: 'never' });
    const renewal = endless.renew([{ key: endless.key, tenure: 'a:1', leaseMs: 2 ** 31 }]);
    expect(renewal.args).toEqual(['a:1', 'never']);
    expect(renewal.decode([1, ['held', -1]])).toEqual({ nowMs: 1, outcomes: [{ kind: 'held', remainingMs: 2 ** 31 }] });
  });

  it('a hold is asserted for as long as it has a permit; afterwards the error says what became of it, and that it was of a semaphore', async () => {
    const { server, one } = processes();
    const pool = one.getSemaphore('pool', { permits: 3 });
    const [held, short] = [await pool.acquire(2), await pool.acquire(1, { leaseMs: 1_000 })];
    await held.release(1);
    expect(held.assertHeld()).toBeUndefined();
    const releasing = held.release();
    const over = {
      code: 'LOCK_NOT_HELD',
      message: 'Semaphore "pool" is not held by this hold: it has been released',
    };
    expect(() => held.assertHeld()).toThrow(expect.objectContaining(over));
    await expect(held.extend(1_000)).rejects.toMatchObject(over);
    await releasing;
    expect(short.assertHeld()).toBeUndefined();
    await server.advance(1_000);
    expect(() => short.assertHeld()).toThrow(expect.objectContaining({ code: 'LOCK_LOST', lockName: 'pool' }));
  });

  it('permits that are added go to all who wait at once, however many they are', async () => {
    const { server, one, two } = processes();
    const pool = one.getSemaphore('pool', { permits: 1 });
    const held = await pool.acquire();
    const waiting = Array.from({ length: 200 }, () => pool.acquire());
    await server.advance(1);
    expect((await pool.inspect()).queue).toHaveLength(200);
    const others = two.getSemaphore('pool');
    await others.addPermits(200);
    await server.advance(1);
    expect(await others.availablePermits()).toBe(0);
    for (const hold of [held, ...(await Promise.all(waiting))]) await hold.release();
  });

  it('a call that waits beside permits of its own process is no warning', async () => {
    const { server, one } = processes();
    const told: unknown[] = [];
    one.on('self-wait', (event) => told.push(event));
    const pool = one.getSemaphore('pool', { permits: 1 });
    const held = await pool.acquire();
    const waiting = pool.acquire();
    await server.advance(5_000);
    await held.release();
    await server.advance(0);
    await (await waiting).release();
    expect(told).toEqual([]);
  });

  it('a call that waits for permits waits for nobody in particular, and closes no circle', async () => {
    const server = createTestServer();
    const client = createTestClient({ server, deadlocks: 'refuse' });
    open.push(client);
    const pool = client.getSemaphore('pool', { permits: 2 });
    const lock = client.getLock('lock');
    const third = await pool.acquire();
    const isInside = new Gate();
    const one = pool.withPermits(async () => {
      await isInside.opened;
      return lock.withLock(() => 'lock');
    });
    const two = lock.withLock(() => {
      isInside.open();
      return pool.withPermits(() => 'permit');
    });
    await server.advance(5_000);
    await third.release();
    await server.advance(0);
    expect(await Promise.all([one, two])).toEqual(['lock', 'permit']);
  });

  it.each<[string, number | 'never' | undefined]>([
    ['a long fixed lease', 3_600_000],
    ['a lease that never ends', 'never'],
    ['a lease that is renewed', undefined],
  ])('data that Redis has lost is told within a third of watchdogTimeoutMs: of %s', async (_, leaseMs) => {
    const { server, one } = processes();
    const options = leaseMs === undefined ? {} : { leaseMs };
    const holds = [await one.getSemaphore('pool', { permits: 1 }).acquire(1, options)];
    const lock =
      leaseMs === 'never' ? undefined : await one.getLock('lock').acquire(leaseMs === undefined ? {} : { leaseMs });
    await server.advance(60_000);
    (server as TestSite).memory.flushAll();
    await server.advance(10_001);
    for (const hold of lock === undefined ? holds : [...holds, lock])
      expect([hold.state, hold.signal.aborted, hold.signal.reason]).toEqual([
        'lost',
        true,
        expect.objectContaining({ reason: 'deleted' }),
      ]);
  });

  it.each([500, 1_500, 5_000])('the end of a semaphore that lasts %i ms is told as that of a lease', async (ttlMs) => {
    const { server, one } = processes();
    const pool = one.getSemaphore('pool');
    await pool.trySetPermits(3, ttlMs);
    const holds = [
      await pool.acquire(),
      await pool.acquire(1, { leaseMs: 'never' }),
      await pool.acquire(1, { leaseMs: 60_000 }),
    ];
    await server.advance(ttlMs + 1);
    expect(holds.map(({ signal }) => signal.reason)).toEqual(
      holds.map(() => expect.objectContaining({ reason: 'expired' })),
    );
    expect(one.stats().losses).toEqual({ expired: 3 });
  });

  it('a semaphore with an end takes all that belongs to it with it', async () => {
    const { server, one } = processes();
    const pool = one.getSemaphore('pool');
    expect(await pool.trySetPermits(2, 5_000)).toBe(true);
    const held = await pool.acquire();
    await server.advance(5_100);
    expect(await pool.availablePermits()).toBe(0);
    expect(await pool.trySetPermits(3)).toBe(true);
    expect(await pool.availablePermits()).toBe(3);
    await server.advance(15_000);
    expect(held.state).toBe('lost');
    await expect(held.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    expect(await pool.availablePermits()).toBe(3);
  });

  it.each<[string, number | 'never' | undefined]>([
    ['a fixed lease', 20_000],
    ['a lease that never ends', 'never'],
    ['a lease that is renewed', undefined],
  ])(
    'no lease outlasts a semaphore with an end, so that it can be begun anew with all its permits: %s',
    async (_, leaseMs) => {
      const { server, one, two } = processes();
      const [pool, theirs] = [one.getSemaphore('pool'), two.getSemaphore('pool')];
      const options = leaseMs === undefined ? {} : { leaseMs };
      expect(await pool.trySetPermits(1, 8_000)).toBe(true);
      const first = await pool.acquire(1, options);
      const waiting = theirs.acquire(1, options);
      await server.advance(100);
      await first.release();
      await server.advance(0);
      // Granted by message for a claim, and then renewed.
      const granted = await waiting;
      await server.advance(4_000);
      expect(granted.state).toBe('held');
      await granted.release();
      const asked = await pool.acquire(1, options);
      await server.advance(1_000);
      expect([asked.state, asked.remainingMs() <= 3_000]).toEqual(['held', true]);
      await server.advance(3_000);
      expect(await theirs.trySetPermits(1)).toBe(true);
      const anew = await theirs.acquire();
      expect([asked.state, anew.state]).toEqual(['lost', 'held']);
    },
  );

  it('a fixed lease that has ended needs no release by the handle, which gives back what is held', async () => {
    const { server, one } = processes();
    const pool = one.getSemaphore('pool', { permits: 3 });
    const short = [await pool.acquire(1, { leaseMs: 1_000 }), await pool.acquire(1, { leaseMs: 1_000 })];
    await server.advance(1_100);
    const held = await pool.acquire();
    expect(short.map(({ state }) => state)).toEqual(['lost', 'lost']);
    await pool.release();
    expect([held.state, await pool.availablePermits()]).toEqual(['released', 3]);
    await expect(pool.release()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
    await expect(short[0]?.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });

  it('what is held is given back before the loss of a lease that was renewed is told, and that is told once', async () => {
    const { server, one, two } = processes();
    const pool = one.getSemaphore('pool', { permits: 2 });
    const lost = await pool.acquire(1, { maxHoldMs: 2_000 });
    await server.advance(2_100);
    const held = await pool.acquire();
    expect(lost.state).toBe('lost');
    await pool.release();
    expect(held.state).toBe('released');
    await expect(pool.release()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await expect(pool.release()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
    expect(await two.getSemaphore('pool').availablePermits()).toBe(2);
  });

  it.each([{ leaseMs: 1_000 }, { maxHoldMs: 1_000 }])(
    'a loss is told to who gives back a part meanwhile: %j',
    async (options) => {
      const { server, one } = processes();
      const hold = await one.getSemaphore('pool', { permits: 3 }).acquire(3, options);
      await server.outage(2_000);
      const told = expect(hold.release(1)).rejects.toMatchObject({ code: 'LOCK_LOST' });
      await server.advance(1_500);
      await told;
    },
  );

  it('a handle remembers a hundred losses and no more', async () => {
    const { server, one } = processes();
    const pool = one.getSemaphore('pool', { permits: 102 });
    for (let call = 0; call < 102; call++) await pool.acquire(1, { maxHoldMs: 2_000 });
    await server.advance(2_100);
    await (await pool.acquire()).release();
    await expect(pool.release(101)).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
    await expect(pool.release(100)).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });

  it('and keeps nothing of the others, while somebody listens to leaks', async () => {
    const { server, one } = processes();
    one.on('leak', () => undefined);
    const pool = one.getSemaphore('pool', { permits: 400 });
    const acquired = async () => new WeakRef((await pool.acquire(1, { maxHoldMs: 2_000 })).signal);
    const signals = await Promise.all(Array.from({ length: 400 }, acquired));
    await server.advance(2_100);
    await expect(pool.release(400)).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
    const kept = () => signals.filter((signal) => signal.deref() !== undefined).length;
    const isLet = async () => (gc?.(), await turns(2), kept() <= 110);
    await waitUntil(isLet, { what: 'all but a hundred to be let go' });
  });

  it.each<[string, (client: LockClient) => unknown]>([
    ['an empty name', (client) => client.getSemaphore('')],
    ['no permits to begin with', (client) => client.getSemaphore('x', { permits: 0 })],
    ['an unknown option', (client) => client.getSemaphore('x', { size: 3 } as never)],
    ['a fraction of a permit', (client) => client.getSemaphore('x').acquire(1.5)],
    ['no permit', (client) => client.getSemaphore('x').acquire(0)],
    ['permits that are no number', (client) => client.getSemaphore('x').tryAcquire('2' as never)],
    ['a wait that is none', (client) => client.getSemaphore('x').tryAcquire(1, -1)],
    [
      'a wait in the options of tryAcquire',
      (client) => client.getSemaphore('x').tryAcquire(1, 1, { waitMs: 5 } as never),
    ],
    ['a lease that is none', (client) => client.getSemaphore('x').acquire(1, { leaseMs: 'ever' as never })],
    [
      'an endless lease with a longest hold',
      (client) => client.getSemaphore('x').acquire(1, { leaseMs: 'never', maxHoldMs: 500 }),
    ],
    [
      'a section without a function',
      (client) => client.getSemaphore('x').withPermits({ permits: 2 }, undefined as never),
    ],
    ['fewer than no permits', (client) => client.getSemaphore('x').trySetPermits(-1)],
    ['a semaphore that ends at once', (client) => client.getSemaphore('x').trySetPermits(1, 0)],
    ['an addition that is no number', (client) => client.getSemaphore('x').addPermits(Number.NaN)],
    ['a size that is none', (client) => client.getSemaphore('x').setPermits(0.5)],
    ['a release of nothing', (client) => client.getSemaphore('x').release(0)],
    ['an addition that is null', (client) => client.getSemaphore('x').addPermits(null as never)],
    ['an addition that is true', (client) => client.getSemaphore('x').addPermits(true as never)],
    ['an addition that is a list', (client) => client.getSemaphore('x').addPermits([] as never)],
    ['an addition that is a text', (client) => client.getSemaphore('x').addPermits('3' as never)],
    ['an unknown option of drainPermits', (client) => client.getSemaphore('x').drainPermits({ nonsense: 1 } as never)],
    ['a lease of drainPermits that is none', (client) => client.getSemaphore('x').drainPermits({ leaseMs: 0 })],
    ['more permits than there are', (client) => client.getSemaphore('x', { permits: 2 }).acquire(3)],
    ['a try for more permits than there are', (client) => client.getSemaphore('x', { permits: 2 }).tryAcquire(3, 5)],
    [
      'a section with more permits than there are',
      (client) => client.getSemaphore('x', { permits: 2 }).withPermits({ permits: 3 }, () => 0),
    ],
  ])('%s is a TypeError or a RangeError, before anything is sent', async (_, call) => {
    const { server, one } = processes();
    await server.outage(1_000);
    const error = await new Promise((resolve) => {
      try {
        (call(one) as Promise<unknown>).then(resolve, resolve);
      } catch (thrown) {
        resolve(thrown);
      }
    });
    expect(['TypeError', 'RangeError']).toContain((error as Error).name);
  });

  it.each([Number.POSITIVE_INFINITY, 2 ** 31 + 1, 2 ** 53])(
    '%d permits of a handle that was given none are too many for any',
    async (many) => {
      const { one } = processes();
      for (const call of [one.getSemaphore('x').acquire(many), one.getSemaphore('x').tryAcquire(many)])
        await expect(call).rejects.toThrow(`permits must be a whole number between 1 and ${2 ** 31}, got ${many}`);
      await expect(one.getSemaphore('x', { permits: 7 }).acquire(8)).rejects.toThrow('which getSemaphore was given: 7');
    },
  );

  it('what is no number of permits to have is told the least one that is: none', async () => {
    const { one } = processes();
    const most = 2 ** 31;
    const says = (least: number, got: number) =>
      `permits must be a whole number between ${least} and ${most}, got ${got}`;
    for (const pool of [one.getSemaphore('x'), one.getPermitExpirableSemaphore('x')]) {
      await expect(pool.trySetPermits(-1)).rejects.toThrow(says(0, -1));
      await expect(pool.setPermits(-1)).rejects.toThrow(says(0, -1));
      await expect(pool.addPermits(-1.5)).rejects.toThrow(says(-most, -1.5));
    }
  });
});

describe('many processes, of which some die', () => {
  guardLeaks();
  const TOTAL = 4;
  const LEASE_MS = 3_000;

  /** A process that works with permits until it is killed: then nothing of it comes out, and nothing gets in. */
  class Process {
    readonly client: LockClient;
    readonly held = new Set<PermitHold>();
    served = 0;
    #isDead = false;

    constructor(server: MemoryServer, clock: ManualClock) {
      const way = direct(() => (this.#isDead ? undefined : server));
      const sockets = new Set<() => void>();
      const network: Network = {
        dial: (address, listener) => {
          const socket = way.dial(address, listener);
          sockets.add(() => socket.destroy());
          return { ...socket, send: (request) => void (this.#isDead || socket.send(request)) };
        },
      };
      this.kill = () => {
        this.#isDead = true;
        for (const destroy of sockets) destroy();
      };
      const redis = () => memoryRedis({ network, timers: clock }, { lazyConnect: true, enableOfflineQueue: false });
      this.client = createLockClientIn(
        { ...systemSurroundings(), clock, openRedis: () => ({ kind: 'node', redis: redis(), ownership: 'ours' }) },
        { redis: 'redis://memory', watchdogTimeoutMs: LEASE_MS, reaskMs: 500, claimLeaseMs: 1_000 },
      );
    }

    readonly kill: () => void;

    get isDead(): boolean {
      return this.#isDead;
    }

    async work(random: () => number, pause: () => Promise<void>): Promise<void> {
      const pool = this.client.getSemaphore('pool', { permits: TOTAL });
      while (!this.#isDead) {
        const hold = await pool.tryAcquire(1 + Math.floor(random() * 3), 60_000).catch(() => null);
        if (hold === null) return;
        this.held.add(hold);
        this.served++;
        await pause();
        if (hold.permits > 1 && random() < 0.5) await hold.release(1).catch(() => undefined);
        await pause();
        await hold.release().catch(() => undefined);
        this.held.delete(hold);
      }
    }
  }

  it.each([1, 2, 3])(
    'never have more permits than there are, and leave all of them to those that live (%j)',
    async (seed) => {
      const clock = new ManualClock();
      const server = new MemoryServer({ now: () => 1_700_000_000_000 + clock.now() });
      const seeded = seededRandom(seed);
      const random = () => seeded.next();
      const processes = Array.from({ length: 8 }, () => new Process(server, clock));
      let isOver = false;
      const pause = () => new Promise<void>((resolve) => void clock.setTimer(resolve, 50 + random() * 400));
      const works = processes.map((process) => process.work(random, () => (isOver ? Promise.resolve() : pause())));
      const faults: number[] = [];
      const believed = () =>
        processes
          .flatMap(({ held }) => [...held])
          .filter(({ state }) => state === 'held' || state === 'suspect')
          .reduce((sum, { permits }) => sum + permits, 0);
      for (let step = 0; step < 400; step++) {
        await clock.advance(50);
        await turns(2);
        if (believed() > TOTAL) faults.push(step);
        if (step % 60 === 30) processes.find(({ isDead, held }) => !isDead && held.size > 0)?.kill();
      }
      expect(faults).toEqual([]);
      const living = processes.filter(({ isDead }) => !isDead);
      expect(living.length).toBeLessThan(processes.length);
      for (const { served } of living) expect(served).toBeGreaterThan(3);
      isOver = true;
      const settle = async <T>(call: Promise<T>): Promise<T> => {
        let settled = false;
        void call.finally(() => (settled = true)).catch(() => undefined);
        for (let step = 0; !settled && step < 2_000; step++) {
          await clock.advance(50);
          await turns(1);
        }
        return call;
      };
      // Those that died do not get anything across, and wait for their leases.
      await settle(Promise.all(processes.map(({ client }) => client.close())));
      await settle(Promise.all(works));
      const last = new Process(server, clock);
      const all = await settle(last.client.getSemaphore('pool').acquire(TOTAL));
      await settle(all.release());
      await settle(last.client.close());
    },
  );
});

describe('beside Redisson', () => {
  const kit = useRedis();

  it.each(['queue', 'redisson'] as const)(
    'what its clients take from the counter nobody has here, and what they give back somebody gets (%s)',
    async (wakeup) => {
      const name = freshName();
      kit.cleanup(async () => void (await kit.admin.del(name)));
      const [one, two] = [openClient(kit, { wakeup }), openClient(kit, { wakeup, reaskMs: 200 })];
      const pool = one.getSemaphore(name, { permits: 2 });
      await (await pool.acquire()).release();
      // RSemaphore.acquire(2), which knows no records.
      await kit.admin.decrby(name, 2);
      expect(await pool.tryAcquire()).toBeNull();
      const waiting = two.getSemaphore(name).acquire();
      const listens = async () => Number((await kit.admin.pubsub('NUMSUB', `redisson_sc:{${name}}`))[1]) > 0;
      const queues = async () => (await kit.admin.zcard(`holdfast_sem_queue:{${name}}`)) > 0;
      await waitUntil(wakeup === 'queue' ? queues : listens, { what: 'it waits' });
      await kit.admin.multi().incrby(name, 2).publish(`redisson_sc:{${name}}`, '2').exec();
      const held = await waiting;
      expect(await pool.availablePermits()).toBe(1);
      await held.release();
    },
  );

  it.each([
    ['more', `${2 ** 52 - 1}`, 5],
    ['fewer', `${1 - 2 ** 52}`, -5],
  ])('a counter is not changed to %s than can be counted', async (_, free, permits) => {
    const name = freshName();
    kit.cleanup(async () => void (await kit.admin.del(name)));
    await kit.admin.set(name, free);
    const pool = openClient(kit).getSemaphore(name);
    await expect(pool.addPermits(permits)).rejects.toMatchObject({ code: 'LOCK_REFUSED', redisCode: 'TOOMANYPERMITS' });
    expect(await kit.admin.get(name)).toBe(free);
    await pool.addPermits(Math.sign(permits));
    await pool.addPermits(-permits);
    expect(await kit.admin.get(name)).toBe(`${Number(free) + Math.sign(permits) - permits}`);
  });

  it.each([2 ** 53 - 1, 2 ** 53 - 3, 1 - 2 ** 53])('a counter of %d is told as it is', async (free) => {
    const name = freshName();
    kit.cleanup(async () => void (await kit.admin.del(name)));
    await kit.admin.set(name, free);
    const pool = openClient(kit).getSemaphore(name);
    expect([await pool.availablePermits(), (await pool.inspect()).available]).toEqual([free, free]);
  });

  it('a lock may have the name of the key under which they are kept who have permits of its expirable semaphore', async () => {
    const name = freshName();
    kit.cleanup(async () => void (await kit.admin.del(name)));
    const client = openClient(kit);
    const pool = client.getSemaphore(name, { permits: 3 });
    await client.getLock(`{${name}}:timeout`).withLock(async () => {
      const held = await pool.acquire();
      expect(await pool.availablePermits()).toBe(2);
      await pool.setPermits(5);
      expect(await pool.availablePermits()).toBe(4);
      await held.release();
    });
  });

  /** What clients of Redisson's that wait for permits are told from now on. */
  async function heardByJava(name: string): Promise<readonly string[]> {
    const listener = new Redis(kit.server.url);
    kit.cleanup(() => listener.disconnect());
    const heard: string[] = [];
    listener.on('message', (_: string, message: string) => heard.push(message));
    await listener.subscribe(`redisson_sc:{${name}}`);
    return heard;
  }

  it('its clients hear of permits that come back, and how many there are', async () => {
    const name = freshName();
    kit.cleanup(async () => void (await kit.admin.del(name)));
    const heard = await heardByJava(name);
    const pool = openClient(kit).getSemaphore(name);
    await pool.trySetPermits(3);
    const hold = await pool.acquire(3);
    await hold.release(1);
    await hold.release();
    await pool.addPermits(2);
    await waitUntil(() => heard.length >= 4, { what: 'it is told' });
    expect(heard).toEqual(['3', '1', '3', '5']);
  });

  it('its clients hear of permits with ids whose lease has ended, though nobody acquires', async () => {
    const name = freshName();
    kit.cleanup(async () => void (await kit.admin.del(name)));
    const heard = await heardByJava(name);
    await openClient(kit).getPermitExpirableSemaphore(name, { permits: 3 }).acquireMany(2, 100);
    expect(await kit.admin.get(name)).toBe('1');
    await waitUntil(() => heard.length > 1, { what: 'it is told' });
    expect([heard, await kit.admin.get(name)]).toEqual([['1', '3'], '3']);
  });
});
