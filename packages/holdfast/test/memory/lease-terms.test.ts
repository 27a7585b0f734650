/** The lease that all holds of a lock need, when Redis answers something that was asked for before a hold came or went. Time is driven. */
import { describe, expect, it } from '@jest/globals';
import type { AcquireOptions, Hold } from 'holdfast';
import type { TestClientOptions } from 'holdfast/testing';
import { useTestClients } from '../support/test-clients.js';

const process = useTestClients();

describe('a raise of the lease that is on its way', () => {
  it('when a renewed hold begins inside a fixed one does not end either', async () => {
    const client = process();
    const lock = client.getLock('order');
    const outer = await lock.acquire({ leaseMs: 1_000 });
    const extended = outer.extend(1_000);
    const inner = await outer.run(() => lock.acquire());
    await extended;
    await client.advance(60_000);
    expect([inner.state, outer.state]).toEqual(['held', 'held']);
  });

  it('when a renewed hold inside a fixed one ends does not have that renewed', async () => {
    const client = process({ watchdogTimeoutMs: 900 });
    const lock = client.getLock('order');
    const outer = await lock.acquire({ leaseMs: 500 });
    const inner = await outer.run(() => lock.acquire());
    const extended = inner.extend(500);
    await inner.release();
    await extended;
    await client.advance(4_000);
    expect(outer.state).toBe('lost');
    expect(outer.signal.reason).toMatchObject({ reason: 'expired' });
  });

  it('for a minimum, when a renewed hold begins inside, does not end it', async () => {
    const client = process();
    const other = process({ server: client.server });
    const theirs = await other.getLock('order').acquire();
    const lock = client.getLock('order');
    let inner: Hold | undefined;
    const section = lock.withLock({ leaseMs: 1_500, minHoldMs: 200 }, async () => {
      await lock.withLock(async (hold) => {
        inner = hold;
        await new Promise<void>((resolve) => hold.signal.addEventListener('abort', () => resolve()));
      });
    });
    section.catch(() => undefined);
    await client.advance(50);
    await theirs.release();
    await client.advance(20_000);
    expect(inner?.state).toBe('held');
    await client.lose('order', 'deleted');
    await section.catch(() => undefined);
  });

  it.each([
    ['ends with it, and the next one is without', { maxHoldMs: 1_500 }, {}, 'held'],
    ['of the next one ends that', {}, { maxHoldMs: 1_500 }, 'lost'],
  ])('when the lock passes in memory: maxHoldMs %s', async (_, first, second, state) => {
    const client = process();
    const one = await client.getLock('order').acquire(first);
    const next = client.getLock('order').acquire(second);
    const extended = one.extend(500);
    await one.release();
    const two = await next;
    await extended;
    await client.advance(10_000);
    expect(two.state).toBe(state);
  });
});

it('a reader that joins while the lease of another one is fixed, at whatever moment, is renewed', async () => {
  const client = process();
  const readers: Hold[] = [];
  for (let moment = 0; moment < 40; moment++) {
    const lock = client.getReadWriteLock(`order ${moment}`).readLock();
    const fixing = client.getMultiLock([lock]).acquire({ leaseMs: 1_000 });
    for (let i = 0; i < moment; i++) await Promise.resolve();
    readers.push(await lock.acquire());
    await fixing;
  }
  await client.advance(60_000);
  expect(readers.filter(({ state }) => state !== 'held')).toEqual([]);
});

describe('a fixed lease', () => {
  it.each([
    ['no more than is left ends when it would have', 100, 2_000],
    ['for longer ends then', 1_000, 2_700],
  ])('that is raised %s, and is not renewed', async (_, ms, end) => {
    const client = process();
    const hold = await client.getLock('order').acquire({ leaseMs: 2_000 });
    await client.advance(1_700);
    await hold.extend(ms);
    await client.advance(end - 1_700 - 100);
    expect(hold.state).toBe('held');
    await client.advance(100);
    expect(hold.state).toBe('lost');
  });

  it('ends when it would have, though a hold inside it has a minimum', async () => {
    const client = process();
    const lock = client.getLock('order');
    const outer = await lock.acquire({ leaseMs: 1_500 });
    await client.advance(1_200);
    await outer.run(() => lock.withLock({ leaseMs: 150, minHoldMs: 100 }, () => undefined));
    await client.advance(300);
    expect(outer.state).toBe('lost');
  });

  it('of permits that is raised by no more than is left ends when it would have', async () => {
    const client = process();
    const hold = await client.getSemaphore('gate', { permits: 1 }).acquire(1, { leaseMs: 1_500 });
    await client.advance(1_300);
    await hold.extend(100);
    await client.advance(200);
    expect(hold.state).toBe('lost');
  });
});

describe('holds inside each other that end by themselves last until the last of them ends:', () => {
  it.each([
    ['a fixed lease around one with maxHoldMs', {}, { leaseMs: 60_000 }, { maxHoldMs: 1_000 }],
    ['a fixed lease around one with that of the client', { maxHoldMs: 1_000 }, { leaseMs: 60_000 }, {}],
    ['a fixed lease inside one with maxHoldMs', {}, { maxHoldMs: 1_000 }, { leaseMs: 60_000 }],
    [
      'a fixed lease inside a shorter one, around one with maxHoldMs',
      {},
      { leaseMs: 2_000 },
      { leaseMs: 60_000 },
      { maxHoldMs: 1_000 },
    ],
  ])('%s', async (_, options: TestClientOptions, ...all: AcquireOptions[]) => {
    const client = process(options);
    const lock = client.getLock('order');
    const holds: Hold[] = [];
    const nest = async ([first, ...rest]: AcquireOptions[]): Promise<void> => {
      if (first === undefined) return;
      const hold = await lock.acquire(first);
      holds.push(hold);
      await hold.run(() => nest(rest));
    };
    await nest(all);
    await client.advance(59_000);
    expect(holds.map(({ state }) => state)).toEqual(all.map(() => 'held'));
    await client.advance(1_000);
    expect(holds.map(({ state }) => state)).toEqual(all.map(() => 'lost'));
  });

  it('what is left is lost at its maxHoldMs when the fixed lease around it is given back', async () => {
    const client = process();
    const lock = client.getLock('order');
    const outer = await lock.acquire({ leaseMs: 60_000 });
    const inner = await outer.run(() => lock.acquire({ maxHoldMs: 2_000 }));
    await outer.release();
    await client.advance(1_900);
    expect(inner.state).toBe('held');
    await client.advance(200);
    expect(inner.signal.reason).toMatchObject({ reason: 'max-hold' });
  });

  it('the longer of two fixed leases may have begun earlier, and end first', async () => {
    const client = process();
    const lock = client.getLock('order');
    const outer = await lock.acquire({ leaseMs: 10_000 });
    await client.advance(9_000);
    const middle = await outer.run(() => lock.acquire({ maxHoldMs: 500 }));
    const inner = await middle.run(() => lock.acquire({ leaseMs: 9_500 }));
    await client.advance(9_000);
    expect(inner.state).toBe('held');
  });

  it('an extension of one is worth as much to the others, past their maxHoldMs, and they keep it when that one is given back', async () => {
    const client = process();
    const lock = client.getLock('order');
    const outer = await lock.acquire({ maxHoldMs: 2_000 });
    const inner = await outer.run(() => lock.acquire({ leaseMs: 1_000 }));
    await inner.extend(20_000);
    await inner.release();
    await client.advance(19_000);
    expect(outer.state).toBe('held');
    await client.advance(1_100);
    expect(outer.state).toBe('lost');
  });

  it('an extension that has its answer when the lock has passed in memory is worth nothing to the next hold', async () => {
    const client = process();
    const one = await client.getLock('order').acquire({ leaseMs: 10_000 });
    const next = client.getLock('order').acquire({ maxHoldMs: 1_000 });
    const extended = one.extend(60_000);
    await one.release();
    const two = await next;
    await extended;
    await client.advance(1_100);
    expect(two.state).toBe('lost');
  });

  it('the lease of a multi-lock, which begins when the last member is there, around a hold with maxHoldMs', async () => {
    const client = process();
    const both = client.getMultiLock(['order', 'stock']);
    const [first, last] = both.names as [string, string];
    const theirs = await process({ server: client.server }).getLock(last).acquire();
    let had: Hold | undefined;
    void both.acquire({ leaseMs: 10_000 }).then((hold) => (had = hold));
    await client.advance(8_000);
    await theirs.release();
    await client.advance(100);
    await had?.run(() => client.getLock(first).acquire({ maxHoldMs: 1_000 }));
    await client.advance(9_500);
    expect(had?.state).toBe('held');
  });
});

describe('a fixed lease inside a renewed hold', () => {
  it('lasts for all that it asked for, also where no renewal succeeds', async () => {
    const client = process();
    const lock = client.getLock('order');
    const outer = await lock.acquire();
    const inner = await outer.run(() => lock.acquire({ leaseMs: 60_000 }));
    expect(inner.remainingMs()).toBeGreaterThan(58_000);
    await client.outage(45_000);
    await client.advance(40_000);
    expect(inner.state).toBe('suspect');
  });

  it('lasts for all that it asked for when that is given back first, where Redis had a longer lease from before', async () => {
    const client = process();
    const lock = client.getLock('order');
    const outer = await lock.acquire();
    await (await outer.run(() => lock.acquire({ leaseMs: 120_000 }))).release();
    await client.advance(45_000);
    const inner = await outer.run(() => lock.acquire({ leaseMs: 60_000 }));
    await outer.release();
    await client.advance(58_000);
    expect(inner.state).toBe('held');
  });

  it('is given back when an outage is over, for as long as it may last', async () => {
    const client = process();
    const lock = client.getLock('order');
    const outer = await lock.acquire();
    await (await outer.run(() => lock.acquire({ leaseMs: 60_000 }))).release();
    await client.outage(50_000);
    const released = Promise.allSettled([outer.release()]);
    await client.advance(53_000);
    await released;
    expect(await process({ server: client.server }).getLock('order').tryLock()).toBe(true);
  });
});
