/** Calls of one client that wait for each other: found by the call that closes the circle, on a memory server, whose time stands still. */
import { AsyncResource } from 'node:async_hooks';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type Hold, type LockClient, type LockClientEvents, LockDeadlockError, LockLostError } from 'holdfast';
import { createTestClient, type TestClientOptions, type TestLockClient } from 'holdfast/testing';
import { Gate, turns } from './support/room.js';

type Told = LockClientEvents['deadlock'][0];
/** Takes the lock of a name, and runs a function in it. */
type Take = (name: string, fn: () => unknown, signal?: AbortSignal) => Promise<unknown>;

const open: TestLockClient[] = [];
const setUp = (options: TestClientOptions = { deadlocks: 'refuse' }) => {
  const client = createTestClient(options);
  open.push(client);
  const told: Told[] = [];
  client.on('deadlock', (event) => told.push(event));
  return { client, told };
};
afterEach(async () => {
  await Promise.all(open.splice(0).map((client) => client.close()));
});

/** Lets time pass until the calls have ended. */
async function ended(client: TestLockClient, ...calls: Promise<unknown>[]): Promise<unknown[]> {
  let isOver = false;
  const outcomes = Promise.allSettled(calls).then((all) => {
    isOver = true;
    return all.map((one) => (one.status === 'fulfilled' ? one.value : one.reason));
  });
  for (let steps = 0; !isOver && steps < 1_000; steps++) await client.advance(20);
  return outcomes;
}

/** Two flows: each has its first lock before either wants the other's. The second closes the circle. */
function crossed(one: Take, other: Take, signal?: AbortSignal): [Promise<unknown>, Promise<unknown>] {
  const [hasX, hasY, waitsForY] = [new Gate(), new Gate(), new Gate()];
  const first = one('x', async () => {
    hasX.open();
    await hasY.opened;
    const inner = one('y', () => 'first', signal);
    await turns(20);
    waitsForY.open();
    return inner;
  });
  const second = other('y', async () => {
    hasY.open();
    await hasX.opened;
    await waitsForY.opened;
    return other('x', () => 'second', signal);
  });
  return [first, second];
}

const sections: Record<string, (client: LockClient) => Take> = {
  'getLock, in sections': (client) => (name, fn, signal) => client.getLock(name).withLock({ signal }, fn),
  'getLock, in client.run': (client) => (name, fn, signal) =>
    client.run(async () => {
      const lock = client.getLock(name);
      await lock.lock({ signal });
      try {
        return await fn();
      } finally {
        await lock.unlock();
      }
    }),
  getFencedLock: (client) => (name, fn, signal) => client.getFencedLock(name).withLock({ signal }, fn),
  getFairLock: (client) => (name, fn, signal) => client.getFairLock(name).withLock({ signal }, fn),
  getSpinLock: (client) => (name, fn, signal) => client.getSpinLock(name).withLock({ signal }, fn),
  'the write side': (client) => (name, fn, signal) =>
    client.getReadWriteLock(name).writeLock().withLock({ signal }, fn),
  getMultiLock: (client) => (name, fn, signal) => client.getMultiLock([name, `${name}:too`]).withLock({ signal }, fn),
};
const kinds = Object.keys(sections);
const taking = (kind: string, client: LockClient): Take =>
  sections[kind]?.(client) ?? (() => Promise.reject(new Error(kind)));

/** What a call re-enters: a member of a multi-lock is a lock like any other. */
const sameAs = (kind: string): string => (kind.startsWith('getLock') || kind === 'getMultiLock' ? 'getLock' : kind);

describe('a call inside a lock of its name', () => {
  it.each(kinds)('%s: is refused where that is of another kind, which it cannot re-enter', async (held) => {
    for (const wanted of kinds) {
      const { client, told } = setUp();
      const call = taking(held, client)('x', () => taking(wanted, client)('x', () => 'inside'));
      const [outcome] = await ended(client, call);
      const reenters = sameAs(held) === sameAs(wanted);
      const expected: unknown = reenters ? 'inside' : expect.any(LockDeadlockError);
      expect([wanted, outcome]).toEqual([wanted, expected]);
      if (!reenters)
        expect(String(outcome)).toMatch(/back: the code around this call has it, as a lock of another kind/);
      expect(told.map(({ waits }) => waits.map(({ name }) => name))).toEqual(reenters ? [] : [['x']]);
    }
  });

  it('is told only that it is refused, where it is for permits of a semaphore of that name: it waits for nothing', async () => {
    const { client, told } = setUp({});
    const call = client
      .getLock('x')
      .withLock(() => client.getSemaphore('x', { permits: 2 }).withPermits(() => 'inside'));
    const [outcome] = await ended(client, call);
    expect([outcome, told]).toEqual([expect.objectContaining({ redisCode: 'NOTASEMAPHORE' }), []]);
  });

  it('waits on where the lock of the other kind ends by itself', async () => {
    const { client, told } = setUp();
    const call = client
      .getFairLock('x')
      .withLock({ leaseMs: 1_000 }, () => client.getLock('x').withLock(() => 'inside'));
    const [outcome] = await ended(client, call);
    expect([outcome, told]).toEqual([expect.any(LockLostError), []]);
  });
});

describe('two flows that wait for each other', () => {
  it.each(kinds)('%s: the call that closes the circle is told at once, and may be refused', async (kind) => {
    const { client, told } = setUp();
    const take = taking(kind, client);
    const [first, second] = crossed(take, take);
    const outcomes = await ended(client, first, second);
    expect(outcomes).toEqual(['first', expect.any(LockDeadlockError)]);
    // Of a multi-lock it is a member.
    expect(told.map(({ waits }) => waits.map(({ name }) => name.charAt(0)))).toEqual([['x', 'y']]);
    expect((outcomes[1] as LockDeadlockError).waits).toEqual(told[0]?.waits);
  });

  it('are found across primitives: each is another', async () => {
    const { client, told } = setUp();
    const [one, other] = [taking('getFencedLock', client), taking('getLock, in sections', client)];
    const [hasX, hasY] = [new Gate(), new Gate()];
    const first = client
      .getReadWriteLock('x')
      .readLock()
      .withLock(async () => {
        hasX.open();
        await hasY.opened;
        return one('y', () => 'first');
      });
    const second = other('y', async () => {
      hasY.open();
      await hasX.opened;
      await turns(20);
      return client
        .getReadWriteLock('x')
        .writeLock()
        .withLock(() => 'second');
    });
    expect(await ended(client, first, second)).toEqual(['first', expect.any(LockDeadlockError)]);
    expect(told).toHaveLength(1);
  });

  it('are told with both sites, and wait on when they are not to be refused, until a signal ends them', async () => {
    const { client, told } = setUp({});
    const giveUp = new AbortController();
    const takeHere: Take = (name, fn, signal) => client.getLock(name).withLock({ signal }, fn);
    const takeThere: Take = (name, fn, signal) => client.getLock(name).withLock({ signal }, fn);
    const calls = crossed(takeHere, takeThere, giveUp.signal);
    while (told.length === 0) await turns();
    const [here, there] = [expect.stringContaining('takeHere'), expect.stringContaining('takeThere')];
    expect(told).toEqual([
      {
        waits: [
          { name: 'x', site: there, holderSite: here },
          { name: 'y', site: here, holderSite: there },
        ],
      },
    ]);
    await client.advance(60_000);
    giveUp.abort('enough');
    expect(await ended(client, ...calls)).toContain('enough');
    expect(told).toHaveLength(1);
  });

  it('are a process warning when nobody listens, once', async () => {
    const client = createTestClient();
    open.push(client);
    const warn = jest.spyOn(process, 'emitWarning').mockReturnValue();
    const take = taking('getLock, in sections', client);
    for (let times = 0; times < 2; times++) {
      const giveUp = new AbortController();
      const calls = crossed(take, take, giveUp.signal);
      while (client.stats().acquisitions.tried < 4 * (times + 1)) await turns();
      giveUp.abort();
      await ended(client, ...calls);
    }
    const deadlocks = warn.mock.calls.filter(
      ([, options]) => (options as { code?: string }).code === 'HOLDFAST_DEADLOCK',
    );
    warn.mockRestore();
    expect(deadlocks).toHaveLength(1);
  });

  it('also three of them, and branches below a parent that holds the lock', async () => {
    const { client, told } = setUp();
    const take = taking('getLock, in sections', client);
    const gates = [new Gate(), new Gate(), new Gate()];
    const all = () => Promise.all(gates.map(({ opened }) => opened));
    const flows = ['a', 'b', 'c'].map((name, index) =>
      take(name, async () => {
        gates[index]?.open();
        await all();
        await turns(20 * index);
        return take(['b', 'c', 'a'][index] ?? '', () => name);
      }),
    );
    expect(await ended(client, ...flows)).toEqual(['a', 'b', expect.any(LockDeadlockError)]);
    expect(told[0]?.waits.map(({ name }) => name)).toEqual(['a', 'b', 'c']);
    const outcome = take('x', () => Promise.allSettled(crossed(take, take)));
    await ended(client, outcome);
    expect(told).toHaveLength(2);
  });

  it('is found while a multi-lock gathers its members', async () => {
    const { client, told } = setUp();
    const multi = client.getMultiLock(['p', 'q']);
    const [low = '', high = ''] = multi.names;
    const [hasHigh, mayGoOn] = [new Gate(), new Gate()];
    const against = client.getLock(high).withLock(async () => {
      hasHigh.open();
      await mayGoOn.opened;
      return client.getLock(low).withLock(() => 'against');
    });
    await hasHigh.opened;
    const gathering = multi.withLock(() => 'gathered');
    while (!(await client.getLock(low).isLocked())) await turns();
    await turns(20);
    mayGoOn.open();
    expect(await ended(client, against, gathering)).toEqual([expect.any(LockDeadlockError), 'gathered']);
    expect(told).toHaveLength(1);
  });
});

describe('maxHoldMs', () => {
  it.each([
    ['of the client', { maxHoldMs: 5_000 }, {}],
    ['of the calls', {}, { maxHoldMs: 5_000 }],
  ])('%s is no end that a call may wait for: it comes by a loss', async (_, ofClient, ofCalls) => {
    const { client, told } = setUp({ deadlocks: 'refuse', ...ofClient });
    const take: Take = (name, fn) => client.getLock(name).withLock(ofCalls, fn);
    expect(await ended(client, ...crossed(take, take))).toEqual(['first', expect.any(LockDeadlockError)]);
    expect(told).toHaveLength(1);
  });
});

describe('no alarm', () => {
  const section = 'getLock, in sections';

  it.each([
    ['the call that closes the circle', undefined, 500],
    ['the other call', 500, undefined],
  ])('when %s has an end of its own', async (_, firstMs, secondMs) => {
    const { client, told } = setUp();
    const limited =
      (waitMs: number | undefined): Take =>
      (name, fn) =>
        client.getLock(name).withLock({ waitMs }, fn);
    const outcomes = await ended(client, ...crossed(limited(firstMs), limited(secondMs)));
    expect(outcomes.filter((outcome) => outcome instanceof Error)).toMatchObject([{ code: 'LOCK_TIMEOUT' }]);
    expect(told).toEqual([]);
  });

  it.each([
    ['a lease of its own', { leaseMs: 5_000 }, {}],
    ['a lease of its own, of the call that closes the circle', {}, { leaseMs: 5_000 }],
  ])('when a hold has %s', async (_, first, second) => {
    const { client, told } = setUp();
    const within =
      (limits: { leaseMs?: number }): Take =>
      (name, fn) =>
        client.getLock(name).withLock(limits, fn);
    const outcomes = await ended(client, ...crossed(within(first), within(second)));
    expect(outcomes.filter((outcome) => outcome instanceof Error)).toMatchObject([{ code: 'LOCK_LOST' }]);
    expect(told).toEqual([]);
  });

  it.each([
    ['lost', (client: LockClient) => client.getLock('x').forceUnlock()],
    ['given back', (_: LockClient, hold: Hold) => hold.release()],
  ])('when the hold around the call is %s, and another one of that lock is waited for', async (how, end) => {
    const { client, told } = setUp();
    const take = taking(section, client);
    const [isOver, hasX, hasY, mayEnd] = [new Gate(), new Gate(), new Gate(), new Gate()];
    const around = client.getLock('x').withLock(async (hold) => {
      await end(client, hold);
      expect(hold.state).toBe(how === 'lost' ? 'lost' : 'released');
      isOver.open();
      await hasY.opened;
      await turns(20);
      const inner = take('y', () => 'around');
      await turns(20);
      mayEnd.open();
      return inner;
    });
    const present = isOver.opened.then(() =>
      take('x', () => {
        hasX.open();
        return mayEnd.opened;
      }),
    );
    const waiting = hasX.opened.then(() =>
      take('y', () => {
        hasY.open();
        return take('x', () => 'waiting');
      }),
    );
    const outcomes = await ended(client, around, present, waiting);
    expect(outcomes).toEqual([how === 'lost' ? expect.any(LockLostError) : 'around', undefined, 'waiting']);
    expect(told).toEqual([]);
  });

  it('when a member of a multi-lock is lost with another, and what is told of it asks for a lock from inside', async () => {
    const { client, told } = setUp();
    const multi = client.getMultiLock(['p', 'q']);
    const [lost = '', kept = ''] = multi.names;
    const take = taking(section, client);
    const [isInside, isOther] = [new Gate(), new Gate()];
    const around = multi.withLock(async ({ signal }) => {
      const asked = new Promise((resolve) => {
        // As the documentation says: bound to where it comes from.
        signal.addEventListener(
          'abort',
          AsyncResource.bind(() => resolve(take('x', () => 'asked'))),
        );
      });
      isInside.open();
      await isOther.opened;
      await turns(20);
      await client.exit(() => client.getLock(lost).forceUnlock());
      expect(await asked).toBe('asked');
    });
    await isInside.opened;
    const against = take('x', () => {
      isOther.open();
      return take(kept, () => 'against');
    });
    expect(await ended(client, around, against)).toEqual([expect.any(LockLostError), 'against']);
    expect(told).toEqual([]);
  });

  it('when any code may release what is held', async () => {
    const { client, told } = setUp();
    const [x, y] = await Promise.all([client.getLock('x').acquire(), client.getLock('y').acquire()]);
    const calls = [x.run(() => client.getLock('y').acquire()), y.run(() => client.getLock('x').acquire())];
    await client.advance(100);
    await y.release();
    const got = await calls[0];
    await x.release();
    await got?.release();
    await ended(client, ...calls);
    expect(told).toEqual([]);
  });

  it('when readers meet, with leases of their own too', async () => {
    const { client, told } = setUp();
    const read = (leaseMs?: number) =>
      client
        .getReadWriteLock('r')
        .readLock()
        .withLock({ leaseMs }, () => 'read');
    const [reads, hasX] = [new Gate(), new Gate()];
    const first = client
      .getReadWriteLock('r')
      .readLock()
      .withLock(async () => {
        reads.open();
        await hasX.opened;
        return client.getLock('x').withLock(() => 'first');
      });
    const second = client.getLock('x').withLock(async () => {
      hasX.open();
      await reads.opened;
      await turns(20);
      return [await read(), await read(5_000)];
    });
    expect(await ended(client, first, second)).toEqual(['first', ['read', 'read']]);
    expect(told).toEqual([]);
  });

  it('when branches below a parent that holds the lock wait for one another', async () => {
    const { client, told } = setUp();
    const take = taking(section, client);
    const branches = () => Promise.all([1, 2, 3].map((branch) => take('x', () => turns(5).then(() => branch))));
    expect(await ended(client, take('x', branches))).toEqual([[1, 2, 3]]);
    expect(told).toEqual([]);
  });

  it('when a chain of waits is no circle, and when a section has ended that started a call and did not wait for it', async () => {
    const { client, told } = setUp();
    const take = taking(section, client);
    const gate = new Gate();
    const chain = [
      take('a', () => gate.opened),
      take('b', () => take('a', () => undefined)),
      take('c', () => take('b', () => undefined)),
    ];
    await client.advance(100);
    gate.open();
    await ended(client, ...chain);
    let detached: Promise<unknown> = Promise.resolve();
    const start = new Gate();
    await take('x', () => {
      detached = start.opened.then(() => take('y', () => 'detached'));
    });
    const other = take('y', async () => {
      start.open();
      await turns(20);
      return take('x', () => 'other');
    });
    expect(await ended(client, other)).toEqual(['other']);
    expect(await ended(client, detached)).toEqual(['detached']);
    expect(told).toEqual([]);
  });
});
