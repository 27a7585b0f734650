/** What readers of one process cost each other: counted, not measured. Time is driven. */
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import type { Hold, LockClient } from 'holdfast';
import { createTestClient } from 'holdfast/testing';
import { HoldRecord } from '../../src/exclusive/hold-record.js';
import { OpenHolds } from '../../src/exclusive/open-holds.js';
import { LinkedList } from '../../src/waiting/linked-list.js';
import { failureOf } from '../support/outcomes.js';

const open: LockClient[] = [];
afterEach(async () => {
  jest.restoreAllMocks();
  await Promise.all(open.splice(0).map((client) => client.close()));
});

const client = (from?: ReturnType<typeof createTestClient>) => {
  const made = createTestClient(from === undefined ? {} : { server: from.server });
  open.push(made);
  return made;
};

/** Counts the holds that the client looks at: all of which it makes a list, and all whose lease it asks for. */
function countLooks() {
  let looks = 0;
  const counted = (of: object, key: 'all' | 'renewable', looksAt: (value: unknown) => number, definedBy = of) => {
    const { get } = Object.getOwnPropertyDescriptor(definedBy, key) as { get: (this: unknown) => unknown };
    jest.spyOn(of as Record<string, unknown>, key, 'get').mockImplementation(function (this: unknown) {
      const value = get.call(this);
      looks += looksAt(value);
      return value;
    });
  };
  counted(OpenHolds.prototype, 'all', (list) => (list as readonly unknown[]).length, LinkedList.prototype);
  counted(HoldRecord.prototype, 'renewable', () => 1);
  return () => looks;
}

it('who comes to read when all who read have left, and a writer is in, waits until its client closes and no longer', async () => {
  const reader = client();
  const lock = reader.getReadWriteLock('catalogue');
  const reads = await lock.readLock().acquire();
  const writes = lock.writeLock().acquire();
  await reader.advance(10);
  await reads.release();
  const written = await writes;
  const answers: unknown[] = [];
  void failureOf(lock.readLock().acquire()).then((error) => answers.push(error));
  await reader.advance(10);
  const closed = reader.close();
  await reader.advance(0);
  expect(answers).toMatchObject([{ code: 'LOCK_CLIENT_CLOSED' }]);
  await closed;
  expect(written.state).not.toBe('held');
});

const orders: Readonly<Record<string, (holds: readonly Hold[]) => readonly Hold[]>> = {
  'who came first leaves first': (holds) => holds,
  'who came last leaves first': (holds) => holds.toReversed(),
  'they leave from the middle': (holds) => [...holds.slice(holds.length / 2), ...holds.slice(0, holds.length / 2)],
};

const ways: Readonly<Record<string, (reader: LockClient, many: number) => Promise<Hold[]>>> = {
  'one by one': async (reader, many) => {
    const lock = reader.getReadWriteLock('catalogue').readLock();
    return Promise.all(Array.from({ length: many }, () => lock.acquire()));
  },
  'each inside another lock': async (reader, many) => {
    const lock = reader.getReadWriteLock('catalogue').readLock();
    const request = (_: unknown, index: number) => reader.getLock(`request ${index}`).withLock(() => lock.acquire());
    return Promise.all(Array.from({ length: many }, request));
  },
  'each inside a read of its own, with a lease': async (reader, many) => {
    const lock = reader.getReadWriteLock('catalogue').readLock();
    const outer = await Promise.all(Array.from({ length: many / 2 }, () => lock.acquire()));
    return [...outer, ...(await Promise.all(outer.map((hold) => hold.run(() => lock.acquire({ leaseMs: 5_000 })))))];
  },
  'all at once behind a writer': async (reader, many) => {
    const other = client(reader as ReturnType<typeof createTestClient>);
    const writes = await other.getReadWriteLock('catalogue').writeLock().acquire();
    const lock = reader.getReadWriteLock('catalogue').readLock();
    const reads = Promise.all(Array.from({ length: many }, () => lock.acquire()));
    await other.advance(100);
    await writes.release();
    await other.advance(100);
    return reads;
  },
};

async function looksOf(many: number, way: string, order: string): Promise<number> {
  const reader = client();
  const looks = countLooks();
  const holds = await ways[way]?.(reader, many);
  for (const hold of orders[order]?.(holds ?? []) ?? []) await hold.release();
  expect(reader.stats()).toMatchObject({ held: 0, acquisitions: { failed: 0 } });
  const counted = looks();
  jest.restoreAllMocks();
  return counted;
}

it('a reader that gives up while its hold is on the way to it, beside another, leaves the calls that wait alone', async () => {
  const one = client();
  const lock = one.getReadWriteLock('catalogue');
  const writes = await lock.writeLock().acquire();
  const waiting = lock.writeLock().acquire();
  const impatience = new AbortController();
  await writes.run(async () => {
    const read = lock.readLock().acquire();
    const givenUp = lock.readLock().acquire({ signal: impatience.signal });
    impatience.abort();
    await expect(givenUp).rejects.toThrow();
    await (await read).release();
  });
  expect(one.stats()).toMatchObject({ waiting: 1, held: 1 });
  await writes.release();
  await (await waiting).release();
  expect(one.stats()).toMatchObject({ waiting: 0, held: 0 });
});

describe.each(Object.keys(ways))('readers of one process that come in %s', (way) => {
  it.each(Object.keys(orders))('cost twice as much when they are twice as many: %s', async (order) => {
    const few = await looksOf(200, way, order);
    const twice = await looksOf(400, way, order);
    // And what costs the same however many they are.
    expect(twice).toBeLessThan(2 * few + 10);
  });
});
