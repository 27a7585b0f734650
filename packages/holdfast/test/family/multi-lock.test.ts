/** What is special about a multi-lock; what it has in common with every lock is in `exclusive.ts`. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { afterEach, describe, expect, it } from '@jest/globals';
import { countCommands, useRedis, waitUntil } from '@holdfast/testkit';
import {
  type LockClient,
  LockLostError,
  LockNotHeldError,
  LockScopeError,
  LockTimeoutError,
  LockUnavailableError,
  type MultiLock,
  type RLock,
} from 'holdfast';
import { createTestClient, createTestServer, type TestLockClient, type TestServer } from 'holdfast/testing';
import type { TestSite } from '../../src/testing/test-server.js';
import { freshName, holdsInRedis, openClient, warmUp } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { byUrl, openProxy } from '../support/redis-inputs.js';
import { Gate } from '../support/room.js';
import { isCommand, loadScripts } from '../support/scripts.js';

/** Numbers that look random, the same in every run. */
function drawing(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    return Math.floor((state / 2 ** 31) * below);
  };
}

const open: LockClient[] = [];
afterEach(() => Promise.all(open.splice(0).map((client) => client.close())));

/** Processes on one server in memory, whose time the test moves. */
function processes(count: number, options: Parameters<typeof createTestClient>[0] = {}) {
  const server = createTestServer();
  const clients = Array.from({ length: count }, () => createTestClient({ server, ...options }));
  open.push(...clients);
  const [first, second] = clients as [TestLockClient, TestLockClient];
  return { server, clients, first, second };
}

/** Of two names that are taken in this order. */
const inOrder = (client: LockClient) => client.getMultiLock(['a', 'b']).names as readonly [string, string];

describe('the hold of a multi-lock', () => {
  it('has no more time left than the member that ends first', async () => {
    const { first } = processes(1);
    const hold = await first.getMultiLock(['a', 'b']).acquire({ leaseMs: 5_000 });
    await hold.run(() => first.getLock('a').withLock({ leaseMs: 50_000 }, () => undefined));
    expect(hold.remainingMs()).toBeLessThanOrEqual(5_000);
    await hold.release();
  });
});

describe('the members of a multi-lock', () => {
  it('are taken in one order, whatever order they were named in, and each once', () => {
    const { first, second } = processes(2);
    const names = ['orders', 'stock', 'account:1', 'account:2', '{tag}:a', '{tag}:b'];
    const { names: order } = first.getMultiLock(names);
    expect(order.toSorted()).toEqual(names.toSorted());
    expect(order.indexOf('{tag}:b')).toBe(order.indexOf('{tag}:a') + 1);
    expect(second.getMultiLock(names.toReversed()).names).toEqual(order);
    expect(second.getMultiLock([...names, 'stock', second.getLock('stock')]).names).toEqual(order);
  });

  it('are ordered by their keys: clients with other prefixes agree', () => {
    const { first, server } = processes(1);
    const prefixed = createTestClient({ server, prefix: 'shop:' });
    open.push(prefixed);
    const plain = first.getMultiLock(['shop:a', 'shop:b', 'shop:c']).names;
    expect(prefixed.getMultiLock(['c', 'b', 'a']).names.map((name) => `shop:${name}`)).toEqual(plain);
  });

  it.each<[string, (client: LockClient) => unknown, string]>([
    ['none at all', (client) => client.getMultiLock([]), 'one member at least'],
    ['no array', (client) => client.getMultiLock('orders' as never), 'an array'],
    ['a name that is none', (client) => client.getMultiLock(['']), 'must not be empty'],
    ['an object that is no lock', (client) => client.getMultiLock(['a', {} as never]), 'member 1 must be a name'],
    ['an array with a hole', (client) => client.getMultiLock(Object.assign([], { 1: 'a' })), 'member 0 must be a name'],
    ['a multi-lock', (client) => client.getMultiLock([client.getMultiLock(['a'])]), 'member 0 must be a name'],
    [
      'two owners of one name',
      (client) => client.getMultiLock(['a', client.getLock('a', { owner: 'me' })]),
      'are not the same lock',
    ],
  ])('are refused before any I/O: %s', (_what, make, problem) => {
    const { first } = processes(1);
    expect(() => make(first)).toThrow(problem);
  });
});

describe('calls that want some of the same locks', () => {
  it('never wait for each other, however they name them: all are served, one at a time', async () => {
    const { server, clients } = processes(4);
    const names = ['a', 'b', 'c', 'd', 'e'];
    const draw = drawing(7);
    const inside = new Map<string, number>();
    let overlaps = 0;
    let served = 0;
    const call = async (client: LockClient) => {
      const wanted = names.toSorted(() => draw(3) - 1).slice(0, 2 + draw(3));
      await client.getMultiLock(wanted).withLock(async () => {
        for (const name of wanted) {
          if (inside.get(name)) overlaps++;
          inside.set(name, 1);
        }
        for (let turns = draw(3); turns >= 0; turns--) await new Promise((resolve) => setImmediate(resolve));
        for (const name of wanted) inside.delete(name);
        served++;
      });
    };
    const calls = Promise.all(clients.flatMap((client) => Array.from({ length: 30 }, () => call(client))));
    let isOver = false;
    void calls.finally(() => (isOver = true));
    for (let steps = 0; steps < 400 && !isOver; steps++) await server.advance(50);
    expect({ served, overlaps }).toEqual({ served: 120, overlaps: 0 });
  });
});

describe('the minimum of a hold around a multi-lock', () => {
  const SOME_MS = 20_000;

  /** The lock rests for what is left of its minimum, and for no longer. */
  const expectRest = async (server: TestServer, lock: RLock) => {
    expect(await lock.tryLock()).toBe(false);
    await server.advance(SOME_MS - 2_000);
    expect(await lock.tryLock()).toBe(false);
    await server.advance(3_000);
    expect(await lock.tryLock()).toBe(true);
  };

  it.each<[string, number | undefined]>([
    ['no minimum', undefined],
    ['a longer one', 2 * SOME_MS],
  ])('is kept when that does not get its other member, and wanted %s', async (_what, minHoldMs) => {
    const { server, first, second } = processes(2);
    const [early, late] = inOrder(first);
    await second.getLock(late).acquire();
    const hold = await first.getLock(early).acquire({ minHoldMs: SOME_MS });
    const options = minHoldMs === undefined ? {} : { minHoldMs };
    expect(await hold.run(() => first.getMultiLock([early, late]).tryAcquire(options))).toBe(null);
    await hold.release();
    await expectRest(server, second.getLock(early));
  });

  it('is kept when that loses its other member', async () => {
    const { server, first, second } = processes(2);
    const [early, late] = inOrder(first);
    const hold = await first.getLock(early).acquire({ minHoldMs: SOME_MS });
    const both = await hold.run(() => first.getMultiLock([early, late]).acquire({ minHoldMs: 2 * SOME_MS }));
    expect(await second.getLock(late).forceUnlock()).toBe(true);
    await server.advance(0);
    expect(both.state).toBe('lost');
    await hold.release();
    await expectRest(server, second.getLock(early));
  });
});

describe('the minimum of a multi-lock', () => {
  it('is kept of every member when the client closes over it', async () => {
    const { server, first, second } = processes(2);
    await first.getMultiLock(['a', 'b', 'c']).acquire({ minHoldMs: 20_000 });
    await first.close();
    await server.advance(0);
    for (const name of ['a', 'b', 'c']) expect(await second.getLock(name).tryLock()).toBe(false);
    await server.advance(21_000);
    for (const name of ['a', 'b', 'c']) expect(await second.getLock(name).tryLock()).toBe(true);
  });

  const ends: readonly [string, (server: TestServer, client: LockClient) => Promise<unknown>][] = [
    ['it is closed', (_, client) => client.close()],
    ['its maxHoldMs is over', (server) => server.advance(31_000)],
  ];

  it.each(ends)('is kept of every member that its client has when %s, whenever each was had', async (_, end) => {
    const { server, second } = processes(2);
    const first = createTestClient({ server, maxHoldMs: 30_000 });
    const [early, late] = inOrder(first);
    const blocker = await second.getLock(late).acquire();
    const acquiring = first.getMultiLock([early, late]).acquire({ minHoldMs: 60_000 });
    await server.advance(5_000);
    await blocker.release();
    expect((await acquiring).state).toBe('held');
    await end(server, first);
    await server.advance(0);
    for (const name of [early, late]) expect(await second.getLock(name).tryLock()).toBe(false);
    await server.advance(61_000);
    for (const name of [early, late]) expect(await second.getLock(name).tryLock()).toBe(true);
    await first.close();
  });

  it('is kept of a member of another client than the one that is closed', async () => {
    const { server, first, second } = processes(2);
    const third = createTestClient({ server });
    await first.getMultiLock([first.getLock('a'), second.getLock('b')]).acquire({ minHoldMs: 20_000 });
    await first.close();
    await server.advance(0);
    for (const name of ['a', 'b']) expect(await third.getLock(name).tryLock()).toBe(false);
    await third.close();
  });

  it.each(ends)('is not kept for a call that waits for another member when %s', async (_, end) => {
    const { server, second } = processes(2);
    const first = createTestClient({ server, maxHoldMs: 30_000 });
    const [early, late] = inOrder(first);
    await second.getLock(late).acquire();
    const failure = failureOf(first.getMultiLock([early, late]).acquire({ minHoldMs: 60_000 }));
    await server.advance(1_000);
    await end(server, first);
    await server.advance(0);
    expect(await failure).toBeInstanceOf(Error);
    expect(await second.getLock(early).tryLock()).toBe(true);
    await first.close();
  });
});

describe('a call that does not get all members', () => {
  it('gives back what it has at its deadline, which is one for all of them', async () => {
    const { server, first, second } = processes(2);
    const [early, late] = inOrder(first);
    const hold = await second.getLock(early).acquire();
    await second.getLock(late).lock();
    const waits = failureOf(first.getMultiLock([late, early]).acquire({ waitMs: 100 }));
    await server.advance(60);
    await hold.release();
    await server.advance(20);
    expect(await second.getLock(early).tryLock()).toBe(false);
    await server.advance(20);
    const error = await waits;
    expect(error).toBeInstanceOf(LockTimeoutError);
    expect(error).toMatchObject({ lockName: late, waitedMs: 100 });
    await server.advance(0);
    expect(await second.getLock(early).tryLock()).toBe(true);
  });

  it.each<[string, (lock: RLock, end: AbortController) => Promise<unknown>]>([
    ['at its deadline', (lock) => failureOf(lock.acquire({ waitMs: 1_000 }))],
    ['with its signal', (lock, { signal }) => failureOf(lock.acquire({ signal }))],
  ])('ends %s, also when the server does not answer what it gives back', async (_, call) => {
    const { first, second } = processes(2, { responseTimeoutMs: 60_000 });
    const [, busy] = inOrder(first);
    await second.getLock(busy).acquire();
    const end = new AbortController();
    let hasEnded = false;
    void call(first.getMultiLock(['a', 'b']), end).then(() => (hasEnded = true));
    await first.advance(500);
    expect(await first.getLock('a').isLocked()).toBe(true);
    await first.outage(30_000);
    await first.advance(400);
    expect(hasEnded).toBe(false);
    end.abort(new Error('enough'));
    await first.advance(200);
    expect(hasEnded).toBe(true);
    await first.advance(60_000);
  });

  it('left open by client.run stays taken as a whole: what still works in it is not joined by another', async () => {
    const { first, second } = processes(2);
    const leaks: string[] = [];
    first.on('leak', ({ name }) => leaks.push(name));
    await first.run(() => first.getMultiLock(['a', 'b']).lock());
    await first.advance(1);
    expect(await second.getLock('a').tryLock()).toBe(false);
    expect(await second.getLock('b').tryLock()).toBe(false);
    expect(leaks.toSorted()).toEqual(['a', 'b']);
    await first.advance(60_000);
  });

  it.each([false, true])(
    'gives back what it has at the end of its client.run: that was never left open (releaseOnScopeEnd: %s)',
    async (releaseOnScopeEnd) => {
      const { first, second } = processes(2, { releaseOnScopeEnd });
      const told: string[] = [];
      first.on('leak', ({ name }) => told.push(name));
      first.on('lost', ({ name }) => told.push(name));
      const [early, late] = inOrder(first);
      await second.getLock(late).lock();
      let call: Promise<unknown> | undefined;
      await first.run(async () => {
        call = failureOf(first.getMultiLock([early, late]).lock());
        await first.advance(60);
        expect(await second.getLock(early).isLocked()).toBe(true);
      });
      expect(await call).toBeInstanceOf(LockScopeError);
      await first.advance(0);
      expect(await second.getLock(early).tryLock()).toBe(true);
      expect(told).toEqual([]);
    },
  );

  it('keeps what it has from an unlock() beside it, which is for locks that are had', async () => {
    const { first, second } = processes(2);
    const [early, late] = inOrder(first);
    const busy = await second.getLock(late).acquire();
    await first.run(async () => {
      const call = first.getMultiLock([early, late]).lock();
      await first.advance(60);
      expect(await failureOf(first.getLock(early).unlock())).toBeInstanceOf(LockNotHeldError);
      await busy.release();
      await call;
      await first.getLock(early).unlock();
      await first.getLock(late).unlock();
    });
    expect(await second.getMultiLock([early, late]).tryLock()).toBe(true);
  });

  it('gives back what it has when its signal aborts', async () => {
    const { server, first, second } = processes(2);
    const [early, late] = inOrder(first);
    await second.getLock(late).lock();
    const abort = new AbortController();
    const waits = failureOf(first.getMultiLock([early, late]).lock({ signal: abort.signal }));
    await server.advance(60);
    expect(await second.getLock(early).isLocked()).toBe(true);
    const reason = new Error('no longer wanted');
    abort.abort(reason);
    expect(await waits).toBe(reason);
    await server.advance(0);
    expect(await second.getLock(early).isLocked()).toBe(false);
  });

  it('makes one attempt at each, and gives back what it got', async () => {
    const { first, second } = processes(2);
    const [early, late] = inOrder(first);
    await second.getLock(late).lock();
    const both = first.getMultiLock([early, late]);
    expect(await both.tryLock()).toBe(false);
    expect(await both.tryAcquire()).toBe(null);
    expect(await both.tryWithLock(() => 1)).toEqual({ ran: false });
    expect(await second.getLock(early).tryLock()).toBe(true);
  });

  it('ends at once when a member that it has is lost while it waits for the next', async () => {
    const { server, first, second } = processes(2);
    const [early, late] = inOrder(first);
    await second.getLock(late).lock();
    const waits = failureOf(first.getMultiLock([early, late]).acquire());
    await server.advance(10);
    await second.getLock(early).forceUnlock();
    await server.advance(10);
    const error = await waits;
    expect(error).toBeInstanceOf(LockLostError);
    expect(error).toMatchObject({ lockName: early, reason: 'force-unlocked' });
  });
});

describe('a fixed lease', () => {
  it('begins when the last member has been taken: those before it are renewed while the call waits', async () => {
    const { server, first, second } = processes(2, { watchdogTimeoutMs: 900 });
    const [early, late] = inOrder(first);
    const other = await second.getLock(late).acquire();
    const call = first.getMultiLock([early, late]).acquire({ leaseMs: 2_000 });
    await server.advance(5_000);
    expect(await second.getLock(early).isLocked()).toBe(true);
    await other.release();
    await server.advance(0);
    const hold = await call;
    expect(hold.remainingMs()).toBeGreaterThan(1_900);
    for (const name of [early, late]) expect(await second.getLock(name).remainTimeToLive()).toBe(2_000);
    await server.advance(2_000);
    expect(hold.state).toBe('lost');
    await server.advance(100);
    for (const name of [early, late]) expect(await second.getLock(name).isLocked()).toBe(false);
  });

  it.each([
    ['asked for', 'no longer than one that has them all', 15_000, 15_000],
    ['asked for', 'no longer than it would wait for an answer of Redis', 500, 10_000],
    ['granted', 'no longer than one that has them all', 15_000, 15_000],
    ['asked for', 'no longer than a watchdog lease', 60_000, 30_000],
  ])(
    'whose members were %s keeps those for others, if the process dies while it waits, %s (%p ms)',
    async (how, _, leaseMs, mostMs) => {
      const { server, first, second } = processes(2);
      const [early, late] = inOrder(first);
      const other = await second.getLock(late).acquire();
      const before = how === 'granted' ? await second.getLock(early).acquire() : undefined;
      const call = first.getMultiLock([early, late]).acquire({ leaseMs });
      await server.advance(10);
      await before?.release();
      const left: number[] = [];
      for (let seconds = 0; seconds < 40; seconds++) {
        await server.advance(1_000);
        left.push(await second.getLock(early).remainTimeToLive());
      }
      expect(Math.min(...left)).toBeGreaterThan(0);
      expect(Math.max(...left)).toBeLessThanOrEqual(mostMs);
      // It is renewed when a third is over, and looked at each second.
      expect(Math.max(...left)).toBeGreaterThan((2 / 3) * mostMs - 1_000);
      await other.release();
      await server.advance(0);
      const hold = await call;
      for (const name of [early, late]) expect(await second.getLock(name).remainTimeToLive()).toBe(leaseMs);
      await hold.release();
    },
  );

  /** `make` makes a call for members on two servers; the server of the first goes away before the last is had, when the lease of both is to be fixed. */
  async function whileFixing<T>(make: (both: MultiLock, client: LockClient) => Promise<T>) {
    const { server, first, second } = processes(2);
    const { server: away, first: there, second: other } = processes(2);
    const [early, late] = inOrder(first);
    const busy = await second.getLock(late).acquire();
    const call = make(first.getMultiLock([there.getLock(early), late]), first);
    await server.advance(10);
    await away.outage(5_000);
    await busy.release();
    await server.advance(10);
    return {
      call,
      pass: (ms: number) => Promise.all([server.advance(ms), away.advance(ms)]),
      /** Which of them another process gets when that server is back. */
      free: async () => {
        await away.advance(6_000);
        return [await other.getLock(early).tryLock(), await second.getLock(late).tryLock()];
      },
    };
  }

  it.each<[string, (lock: RLock, signal: AbortSignal) => Promise<unknown>, unknown]>([
    [
      'when its deadline has passed',
      (lock) => lock.acquire({ waitMs: 1_000, leaseMs: 15_000 }),
      expect.any(LockUnavailableError),
    ],
    ['when its signal has aborted', (lock, signal) => lock.acquire({ leaseMs: 15_000, signal }), 'enough'],
  ])('is not waited for by a call %s, nor is what is given back then', async (_, make, expected) => {
    const end = new AbortController();
    const { call, pass, free } = await whileFixing((both) => failureOf(make(both, end.signal)));
    await pass(900);
    expect(await Promise.race([call, Promise.resolve('waiting')])).toBe('waiting');
    end.abort('enough');
    await pass(100);
    expect(await Promise.race([call, Promise.resolve('waiting')])).toEqual(expected);
    expect(await free()).toEqual([true, true]);
  });

  it('is not begun for a lock() whose client.run has ended by then: all members are given back', async () => {
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    const { call, free } = await whileFixing((both, client) => {
      let locking: Promise<unknown> = ended;
      void client.run(() => {
        locking = failureOf(both.lock(15_000));
        return ended;
      });
      return locking;
    });
    end();
    expect(await free()).toEqual([true, true]);
    expect(await call).toBeInstanceOf(LockScopeError);
  });

  it('inside another hold is a minimum', async () => {
    const { server, first } = processes(1);
    const both = first.getMultiLock(['a', 'b']);
    await both.withLock({ leaseMs: 1_000 }, async () => {
      const inner = await both.acquire({ leaseMs: 5_000 });
      await inner.release();
      await server.advance(4_000);
      expect(await both.getHoldCount()).toBe(1);
      expect(await both.remainTimeToLive()).toBe(1_000);
    });
    expect(await both.isLocked()).toBe(false);
  });
});

describe('the loss of one member', () => {
  it('is the loss of all: one signal says so, and the others are free for the next', async () => {
    const { server, first, second } = processes(2);
    const [early, late] = inOrder(first);
    const hold = await first.getMultiLock([early, late]).acquire();
    let told = 0;
    hold.signal.addEventListener('abort', () => told++);
    await first.lose(late, 'deleted');
    expect(hold.state).toBe('lost');
    expect(hold.remainingMs()).toBe(0);
    expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', lockName: late, reason: 'deleted' });
    expect(() => hold.assertHeld()).toThrow(LockLostError);
    await server.advance(0);
    expect(await second.getMultiLock([early, late]).tryLock()).toBe(true);
    await expect(hold.release()).rejects.toThrow(LockLostError);
    await hold.release();
    expect(told).toBe(1);
  });

  it.each([0, 1])('%d is told by a section, however its function ends', async (index) => {
    const { first } = processes(1);
    const names = inOrder(first);
    const both = first.getMultiLock([...names]);
    const section = both.withLock(async (hold) => {
      await first.lose(names[index] as string, 'taken');
      expect(hold.signal.aborted).toBe(true);
      return 'done all the same';
    });
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST', lockName: names[index], reason: 'taken' });
    expect(await both.isHeldByCurrentScope()).toBe(false);
  });

  it('is told by unlock(), which gives the others back', async () => {
    const { first } = processes(1);
    const [early, late] = inOrder(first);
    const both = first.getMultiLock([early, late]);
    await both.lock();
    await first.lose(early, 'deleted');
    await expect(both.unlock()).rejects.toThrow(LockLostError);
    expect(await first.getLock(late).isLocked()).toBe(false);
  });
});

it('unlock() after the loss of one member leaves a lock() around it alone', async () => {
  const { first } = processes(1);
  const [early, late] = inOrder(first);
  const both = first.getMultiLock([early, late]);
  await first.run(async () => {
    await first.getLock(late).lock();
    await both.lock();
    await first.lose(early, 'deleted');
    await expect(both.unlock()).rejects.toThrow(LockLostError);
    expect(await first.getLock(late).getHoldCount()).toBe(1);
    await first.getLock(late).unlock();
  });
});

describe('inside the section of a multi-lock', () => {
  it('calls on each member, and on the whole, re-enter', async () => {
    const { first, second } = processes(2);
    const both = first.getMultiLock(['a', 'b']);
    await both.withLock(async (hold) => {
      expect(await first.getLock('a').tryWithLock(() => both.getHoldCount())).toEqual({ ran: true, value: 1 });
      await both.withLock(async () => expect(await both.getHoldCount()).toBe(2));
      expect(await hold.run(() => first.getMultiLock(['b', 'c']).tryWithLock({}, () => 'in'))).toEqual({
        ran: true,
        value: 'in',
      });
      expect(await first.exit(() => both.tryLock())).toBe(false);
    });
    expect(await second.getMultiLock(['a', 'b', 'c']).tryLock()).toBe(true);
  });

  it('branches keep each other out', async () => {
    const { first } = processes(1);
    const both = first.getMultiLock(['a', 'b']);
    let inside = 0;
    const branch = () =>
      both.withLock(async () => {
        expect(++inside).toBe(1);
        await Promise.resolve();
        inside--;
      });
    await both.withLock(() => Promise.all([branch(), branch(), branch()]));
  });

  it('a wait for it is no wait for itself: a long section raises no suspicion among calls outside', async () => {
    const { server, first } = processes(1);
    const both = first.getMultiLock(['a', 'b']);
    const suspicions: unknown[] = [];
    first.on('self-wait', (event) => suspicions.push(event));
    const end = new Gate();
    const section = both.withLock(() => end.opened);
    const next = both.withLock(() => 'next');
    await server.advance(5_000);
    end.open();
    await server.advance(10);
    expect(await next).toBe('next');
    await section;
    expect(suspicions).toEqual([]);
  });
});

describe('a multi-lock of thousands', () => {
  const MANY = 2_500;
  const kinds: Record<string, (client: LockClient, name: string) => RLock> = {
    locks: (client, name) => client.getLock(name),
    'fenced locks': (client, name) => client.getFencedLock(name),
    'read locks': (client, name) => client.getReadWriteLock(name).readLock(),
  };

  it.each(Object.entries(kinds))('runs a section, and hold.run, in which calls re-enter: %s', async (_, lockOf) => {
    const { first, second } = processes(2);
    const members = Array.from({ length: MANY }, (__, index) => lockOf(first, `${index}`));
    const many = first.getMultiLock(members);
    const [early, late] = [members[0], members[MANY - 1]] as [RLock, RLock];
    const inside = async () => [await early.getHoldCount(), await late.tryWithLock({}, () => late.getHoldCount())];
    const expected = [1, { ran: true, value: 2 }];
    expect(await many.withLock(inside)).toEqual(expected);
    const hold = await many.acquire();
    expect(await hold.run(inside)).toEqual(expected);
    await hold.release();
    expect(await second.getMultiLock(many.names).tryWithLock({}, () => 'free')).toEqual({ ran: true, value: 'free' });
  });

  it('of several clients runs in a scope of each', async () => {
    const { first, second, clients } = processes(3);
    const third = clients[2] as TestLockClient;
    const members = [first, second, third].flatMap((client, at) => [
      client.getLock(`a${at}`),
      client.getLock(`b${at}`),
    ]);
    await first.getMultiLock(members).withLock(async () => {
      for (const member of members) expect(await member.isHeldByCurrentScope()).toBe(true);
    });
    for (const member of members) expect(await member.isLocked()).toBe(false);
  });
});

it('members may be locks of every kind, and each is held as what it is', async () => {
  const { first } = processes(1);
  const { fenced, rw } = { fenced: first.getFencedLock('f'), rw: first.getReadWriteLock('rw') };
  const all = () => first.getMultiLock([rw.readLock(), fenced, first.getSpinLock('s'), first.getFairLock('q'), 'l']);
  await all().withLock({ leaseMs: 1_000 }, async () => {
    expect(await all().getHoldCount()).toBe(1);
    expect(await rw.writeLock().isLocked()).toBe(false);
    for (const lock of [rw.readLock(), fenced, first.getLock('s'), first.getLock('q'), first.getLock('l')])
      expect(await lock.isLocked()).toBe(true);
  });
  expect(await all().isLocked()).toBe(false);
});

it('nested code has the fencing token of the member around it, also when the lease is fixed', async () => {
  const { first, second } = processes(2);
  const fenced = first.getFencedLock('f');
  const both = first.getMultiLock([fenced, 'other']);
  const token = await both.withLock({ leaseMs: 1_000 }, async () => {
    const around = await fenced.getToken();
    expect(await fenced.withLock((nested) => nested.token)).toBe(around);
    expect(await both.withLock({ leaseMs: 2_000 }, () => fenced.getToken())).toBe(around);
    return around;
  });
  const next = await fenced.withLock((hold) => hold.token);
  expect(next).toBeGreaterThan(token ?? Number.NaN);
  expect(await second.getFencedLock('f').withLock((hold) => hold.token)).toBeGreaterThan(next);
});

const kit = useRedis();

describe('inside a lost hold of a member', () => {
  it('a call is told at once, whatever member it would wait for before that', async () => {
    const [client, other] = [openClient(kit), openClient(kit)];
    const both = client.getMultiLock([freshName(), freshName()]);
    const [busy, lost] = both.names as [string, string];
    await other.getLock(busy).acquire();
    const section = client.getLock(lost).withLock(async ({ signal }) => {
      const isLost = new Promise((resolve) => signal.addEventListener('abort', resolve));
      await other.getLock(lost).forceUnlock();
      await isLost;
      await expect(both.acquire({ waitMs: 2_000 })).rejects.toMatchObject({ code: 'LOCK_LOST', lockName: lost });
    });
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST', lockName: lost });
  });

  it.each<[string, (names: readonly string[]) => { around: readonly string[]; lost: string }]>([
    ['of that member', ([, last = '']) => ({ around: [last], lost: last })],
    [
      'of several, one of which is lost',
      ([, last = ''], apart = freshName()) => ({ around: [last, apart], lost: apart }),
    ],
  ])('a call that waits for another one already ends its wait: %s', async (_, make) => {
    const [client, other] = [openClient(kit), openClient(kit)];
    const both = client.getMultiLock([freshName(), freshName()]);
    const { around, lost } = make(both.names);
    const [busy] = both.names as [string, string];
    const theirs = await other.getLock(busy).acquire();
    const isLoss = { code: 'LOCK_LOST', lockName: lost, reason: 'force-unlocked' };
    const section = client.getMultiLock(around).withLock(async () => {
      const waits = failureOf(both.acquire({ waitMs: 5_000 }));
      await waitUntil(async () => (await other.inspect(busy)).queue.length === 1, { what: 'it waits' });
      await other.getLock(lost).forceUnlock();
      expect(await waits).toMatchObject(isLoss);
      expect((await other.inspect(busy)).queue).toEqual([]);
    });
    expect(await failureOf(section)).toMatchObject(isLoss);
    await theirs.release();
    expect(await other.getMultiLock(both.names).tryLock()).toBe(true);
  });

  it('a call is counted, told on the channels, and rejects with the reason of its signal first, as one for the member alone', async () => {
    const client = openClient(kit);
    const names = [freshName(), freshName()];
    const [, lost = ''] = names;
    const refused: unknown[] = [];
    const note = (message: unknown) => void refused.push(message);
    subscribe('holdfast:refused', note);
    kit.cleanup(() => unsubscribe('holdfast:refused', note));
    const section = client.getLock(lost).withLock(async () => {
      await client.exit(() => client.getLock(lost).forceUnlock());
      for (const one of [client.getMultiLock(names), client.getLock(lost)]) {
        const { failed } = client.stats().acquisitions;
        await expect(one.acquire()).rejects.toMatchObject({ code: 'LOCK_LOST', lockName: lost });
        expect(client.stats().acquisitions.failed).toBe(failed + 1);
        expect(refused.splice(0)).toMatchObject([{ name: lost, outcome: 'error', error: { code: 'LOCK_LOST' } }]);
        await expect(one.acquire({ signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
      }
    });
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST' });
  });
});

describe('what is given back together', () => {
  const scripts = async (work: () => Promise<unknown>) => {
    const counter = await countCommands(kit.admin);
    await work();
    const { evalsha = 0, eval: whole = 0 } = await counter.delta();
    return evalsha + whole;
  };
  const three = () => [freshName(), freshName(), freshName()];

  it.each<[string, (lock: MultiLock) => Promise<unknown>]>([
    ['by a section', (lock) => lock.withLock(() => undefined)],
    ['by release()', async (lock) => (await lock.acquire()).release()],
    ['by unlock()', (lock) => lock.lock().then(() => lock.unlock())],
  ])('%s leaves as one command', async (_, round) => {
    await loadScripts(kit);
    const client = openClient(kit);
    await warmUp(kit, client);
    expect(await scripts(() => round(client.getMultiLock(three())))).toBe(2);
    expect(await scripts(() => round(client.getMultiLock(three().slice(1))))).toBe(2);
    expect(await scripts(() => round(client.getMultiLock(three().slice(2))))).toBe(2);
  });

  it('leaves one by one where each has a token to give on', async () => {
    await loadScripts(kit);
    const client = openClient(kit);
    await warmUp(kit, client);
    const fenced = () => client.getMultiLock(three().map((name) => client.getFencedLock(name)));
    await fenced().withLock(() => undefined);
    expect(await scripts(() => fenced().withLock(() => undefined))).toBe(6);
  });

  it('by a command whose reply is lost is given back once, and is no loss', async () => {
    await loadScripts(kit);
    const proxy = await openProxy(kit);
    const [client, stranger] = [openClient(kit, { redis: byUrl.open(kit, proxy) }), openClient(kit)];
    const lost: unknown[] = [];
    client.on('lost', (event) => lost.push(event));
    const names = three();
    const hold = await client.getMultiLock(names).acquire();
    const waiting = stranger.getLock(names[1] as string).acquire();
    await waitUntil(async () => (await stranger.inspect(names[1] as string)).queue.length === 1, { what: 'it waits' });
    proxy.loseNextReply({ after: isCommand('releases') });
    await hold.release();
    expect(proxy.repliesLost).toBe(1);
    const next = await waiting;
    expect(await holdsInRedis(kit, names[1] as string)).toBe(1);
    next.assertHeld();
    await next.release();
    expect(await stranger.getMultiLock(names).tryLock()).toBe(true);
    expect(lost).toEqual([]);
  });

  it('of which one was lost is given back but for that one, of which the call is told', async () => {
    const client = openClient(kit);
    const all = client.getMultiLock(three());
    const [, lost] = all.names as [string, string, string];
    const hold = await all.acquire();
    await kit.admin.del(lost);
    expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST', lockName: lost, reason: 'deleted' });
    expect(await all.isLocked()).toBe(false);
  });

  it('of which Redis refuses one is given back but for that one, which alone is told', async () => {
    const user = freshName();
    const allowed = ['reset', 'on', '>x', '~*', '&*', '+@all'];
    await kit.admin.acl('SETUSER', user, ...allowed);
    const url = new URL(kit.server.url);
    Object.assign(url, { username: user, password: 'x' });
    const [client, stranger] = [openClient(kit, { redis: url.href }), openClient(kit)];
    const lock = client.getMultiLock(three());
    const hold = await lock.acquire();
    // Not the first: the error of the command is the error of that one.
    const [first, refused, last] = lock.names as [string, string, string];
    const others = [first, last];
    await kit.admin.acl('SETUSER', user, 'resetkeys', ...others.map((name) => `~*${name}*`), '~holdfast_dead*');
    const error = await failureOf(hold.release());
    expect(error).toMatchObject({ lockName: refused });
    for (const name of others) expect(await stranger.getLock(name).isLocked()).toBe(false);
    await kit.admin.acl('SETUSER', user, ...allowed);
  });
});

describe('what is taken together', () => {
  const names = (count: number) => Array.from({ length: count }, freshName);
  const sent = async (work: () => Promise<unknown>) => {
    const counter = await countCommands(kit.admin);
    await work();
    return (await counter.delta())['evalsha'];
  };

  it('is one command for all names, also in one attempt', async () => {
    await loadScripts(kit);
    const client = openClient(kit);
    await warmUp(kit, client);
    const five = client.getMultiLock(names(5));
    expect(await sent(() => five.withLock(() => undefined))).toBe(2);
    expect(await sent(() => five.tryLock())).toBe(1);
    for (const name of five.names) expect(await holdsInRedis(kit, name)).toBe(1);
    await five.unlock();
    const fair = client.getMultiLock(names(3).map((name) => client.getFairLock(name)));
    expect(await sent(() => fair.withLock(() => undefined))).toBe(2);
  });

  it('with a minimum beyond the lease is two commands for each name: nothing is asked for twice', async () => {
    await loadScripts(kit);
    const client = openClient(kit);
    await warmUp(kit, client);
    const five = client.getMultiLock(names(5));
    const minHoldMs = 40_000;
    expect(await sent(async () => five.acquire({ minHoldMs }))).toBe(10);
    for (const name of five.names) expect(await kit.admin.pttl(name)).toBeGreaterThan(minHoldMs - 5_000);
    await five.forceUnlock();
  });

  it('ends with the first that is not free: those before it are had, those behind it are not taken', async () => {
    await loadScripts(kit);
    const [client, stranger] = [openClient(kit), openClient(kit)];
    await warmUp(kit, client);
    const four = client.getMultiLock(names(4));
    const [first, busy, third, last] = four.names as [string, string, string, string];
    const hold = await stranger.getLock(busy).acquire();
    // Together; then the busy one, and what was had is given back.
    expect(await sent(async () => expect(await four.tryLock()).toBe(false))).toBe(3);
    const waiting = four.acquire();
    await waitUntil(async () => (await stranger.inspect(busy)).queue.length === 1, { what: 'it waits' });
    expect(await holdsInRedis(kit, first)).toBe(1);
    for (const name of [third, last]) expect(await stranger.getLock(name).isLocked()).toBe(false);
    await hold.release();
    const had = await waiting;
    for (const name of four.names) expect(await holdsInRedis(kit, name)).toBe(1);
    await had.release();
  });

  it('is no refused call of a member, and each member counts its own call', async () => {
    const { first, second } = processes(2);
    const [one, other] = inOrder(first);
    const both = first.getMultiLock([one, other]);
    await both.isLocked();
    await both.withLock(() => undefined);
    expect(first.stats().acquisitions).toMatchObject({ tried: 2, won: 2, refused: 0 });
    const hold = await second.getLock(other).acquire();
    expect(await both.tryLock()).toBe(false);
    expect(first.stats().acquisitions).toMatchObject({ tried: 4, won: 3, refused: 1 });
    await hold.release();
  });

  it('leaves a member to a call of this process that has come meanwhile, and waits for it in its turn', async () => {
    const { first, second } = processes(2);
    const all = first.getMultiLock(['a', 'b', 'c']);
    const [, middle, last] = all.names as [string, string, string];
    // It has its connection: before that, nothing is asked for together.
    await all.isLocked();
    const whole = all.acquire();
    const single = first.getLock(middle).acquire();
    const hold = await single;
    // Nothing behind it is kept while the whole waits for it.
    const other = await second.getLock(last).tryAcquire();
    expect(other?.state).toBe('held');
    await hold.release();
    await other?.release();
    await (await whole).release();
    for (const name of all.names) expect(await second.getLock(name).isLocked()).toBe(false);
  });

  async function setUpBehindProxy() {
    await loadScripts(kit);
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: byUrl.open(kit, proxy) });
    await warmUp(kit, client);
    return { proxy, all: client.getMultiLock(names(3)) };
  }

  it('is had in spite of a lost reply: what may have been taken is withdrawn, and taken anew', async () => {
    const { proxy, all } = await setUpBehindProxy();
    proxy.loseNextReply({ after: isCommand('asks') });
    const hold = await all.acquire();
    expect(proxy.repliesLost).toBe(1);
    for (const name of all.names) expect(await holdsInRedis(kit, name)).toBe(1);
    hold.assertHeld();
    await hold.release();
    for (const name of all.names) expect(await holdsInRedis(kit, name)).toBe(0);
  });

  it('is given back when the call ends before the reply', async () => {
    const { proxy, all } = await setUpBehindProxy();
    proxy.hold('down');
    const abort = new AbortController();
    const call = failureOf(all.acquire({ signal: abort.signal }));
    for (const name of all.names)
      await waitUntil(async () => (await holdsInRedis(kit, name)) === 1, { what: `${name} is taken` });
    abort.abort(new Error('enough'));
    expect(await call).toMatchObject({ message: 'enough' });
    for (const name of all.names)
      await waitUntil(async () => (await holdsInRedis(kit, name)) === 0, { what: `${name} is free` });
    await proxy.heal();
  });

  it('of which Redis refuses one is refused for that one, and the others are free', async () => {
    const user = freshName();
    const all = names(3);
    await kit.admin.acl('SETUSER', user, 'reset', 'on', '>x', '~*', '&*', '+@all');
    const url = new URL(kit.server.url);
    Object.assign(url, { username: user, password: 'x' });
    const [client, stranger] = [openClient(kit, { redis: url.href }), openClient(kit)];
    const multi = client.getMultiLock(all);
    const [first, refused, last] = multi.names as [string, string, string];
    await kit.admin.acl('SETUSER', user, 'resetkeys', `~*${first}*`, `~*${last}*`, '~holdfast_dead*');
    expect(await failureOf(multi.acquire())).toMatchObject({ lockName: refused });
    await waitUntil(async () => !(await stranger.getMultiLock(all).isLocked()), { what: 'all are free' });
  });
});

it.each([1, 2])('members beyond limits.locks, which is %i, are not asked for behind others', async (locks) => {
  const { server, first } = processes(1, { limits: { locks } });
  const { memory } = server as TestSite;
  const asked: string[] = [];
  const execute = memory.execute.bind(memory);
  memory.execute = (connection, request) => {
    asked.push(...request);
    return execute(connection, request);
  };
  const all = first.getMultiLock(['{tag}:a', '{tag}:b', '{tag}:c']);
  expect(await failureOf(all.tryLock())).toMatchObject({ code: 'LOCK_LIMIT', lockName: all.names[locks] });
  expect(all.names.map((name) => asked.includes(name))).toEqual([0, 1, 2].map((index) => index < locks));
});

describe('members of several clients', () => {
  it('are had together and given back together', async () => {
    const [one, other, stranger] = [openClient(kit), openClient(kit), openClient(kit)];
    const [a, b] = [freshName(), freshName()];
    const both = one.getMultiLock([one.getLock(a), other.getLock(b)]);
    await both.withLock(async () => {
      expect(await stranger.getLock(a).tryLock()).toBe(false);
      expect(await stranger.getLock(b).tryLock()).toBe(false);
      expect(await other.getLock(b).isHeldByCurrentScope()).toBe(true);
      expect(await both.tryWithLock({}, () => 'nested')).toEqual({ ran: true, value: 'nested' });
    });
    expect(await stranger.getMultiLock([a, b]).tryLock()).toBe(true);
  });

  it('with one key are refused: nothing says which of them is taken first', () => {
    const [one, other] = [openClient(kit), openClient(kit)];
    expect(() => one.getMultiLock([one.getLock('x'), other.getLock('x')])).toThrow('are not the same lock');
  });
});

it.each(Array.from({ length: 12 }, (_, turns) => turns))(
  'a multi-lock whose client.run ends %i turns behind its last member is given back, or reported as left open',
  async (turns) => {
    const { server, first, second } = processes(2);
    const names = [freshName(), freshName()];
    const left: string[] = [];
    first.on('leak', ({ name }) => left.push(name));
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    let had = 0;
    const onAcquired = async () => {
      if (++had < names.length) return;
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      end();
    };
    const follow = () => void onAcquired();
    subscribe('holdfast:acquired', follow);
    let locking: Promise<unknown> = ended;
    await first.run(() => {
      locking = first
        .getMultiLock(names)
        .lock()
        .then(
          () => 'had',
          (error: unknown) => error,
        );
      return ended;
    });
    unsubscribe('holdfast:acquired', follow);
    await server.advance(10);
    const refused = (await locking) instanceof LockScopeError;
    const free = await Promise.all(names.map((name) => second.getLock(name).tryLock()));
    expect({ refused, free, left: left.sort() }).toEqual(
      refused ? { refused, free: [true, true], left: [] } : { refused, free: [false, false], left: names.sort() },
    );
  },
);
