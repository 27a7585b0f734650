/** A call has the lease that it asked for, in Redis too: not that of a call of its process which has gone. */

import { type FaultProxy, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { AcquireOptions, Hold, LockClient, RLock } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { openProxy } from '../support/redis-inputs.js';

const kit = useRedis();

const kinds: Record<string, (client: LockClient, name: string) => RLock> = {
  getLock: (client, name) => client.getLock(name),
  getFencedLock: (client, name) => client.getFencedLock(name),
  getSpinLock: (client, name) => client.getSpinLock(name),
  writeLock: (client, name) => client.getReadWriteLock(name).writeLock(),
};
const both = (['queue', 'redisson'] as const).flatMap((wakeup) =>
  Object.keys(kinds).map((kind) => [kind, wakeup] as const),
);

/** Tokens of Redisson's layout are counted for ever. */
function freshKey(): string {
  const name = freshName();
  kit.cleanup(() => kit.admin.del(`redisson_lock_token:{${name}}`));
  return name;
}

const HOUR_MS = 3_600_000;

describe.each(both)('%s, wakeup %s', (kind, wakeup) => {
  /** A call gives up while Redis owes it an answer, and another one has joined it. */
  async function joined(given: AcquireOptions, options: AcquireOptions, answer: 'late' | 'overdue' | 'lost' = 'late') {
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: proxy.url, wakeup });
    const name = freshKey();
    const lock = kinds[kind]?.(client, name) as RLock;
    await lock.withLock(() => undefined);
    proxy.hold('down');
    const impatient = new AbortController();
    const failure = failureOf(lock.acquire({ ...given, signal: impatient.signal }));
    const call = lock.acquire(options);
    await waitUntil(async () => (await kit.admin.exists(name)) === 1, { what: 'the lease of the first' });
    if (answer === 'overdue')
      await waitUntil(async () => (await kit.admin.pttl(name)) < HOUR_MS - 1_100, { what: 'the time of the second' });
    impatient.abort();
    await failure;
    if (answer === 'lost') proxy.reset();
    await proxy.heal();
    return { hold: await call, name };
  }

  it.each([
    ['', 'late'],
    [', and had to be asked for again', 'lost'],
  ] as const)(
    'a call gets its own lease where a longer one was asked for by a call that has given up%s',
    async (_, answer) => {
      const { hold, name } = await joined({ leaseMs: HOUR_MS }, { leaseMs: 60_000 }, answer);
      expect(await kit.admin.pttl(name)).toBeLessThanOrEqual(60_000);
      expect(hold.remainingMs()).toBeGreaterThan(30_000);
      await hold.release();
      expect(await kit.admin.exists(name)).toBe(0);
    },
  );

  it('a call gets its own lease where the answer for one that has given up came when its own would have been over', async () => {
    const { hold, name } = await joined({ leaseMs: HOUR_MS }, { leaseMs: 1_000 }, 'overdue');
    expect(await kit.admin.pttl(name)).toBeLessThanOrEqual(1_000);
    await hold.release();
  });

  it('a call gets its own lease before it is given the lock where a shorter one was asked for by a call that has given up', async () => {
    const { hold, name } = await joined({ leaseMs: 5_000 }, {});
    expect(hold.remainingMs()).toBeGreaterThan(10_000);
    expect(await kit.admin.pttl(name)).toBeGreaterThan(10_000);
    await hold.release();
  });

  it.each<[string, (lock: RLock) => Promise<void>]>([
    ['extended', (lock) => lock.withLock((hold) => hold.extend(HOUR_MS))],
    ['had a longer one inside', (lock) => lock.withLock(() => lock.withLock({ leaseMs: HOUR_MS }, () => undefined))],
  ])('a call that waited in the process gets its own lease after one that %s', async (_, first) => {
    const client = openClient(kit, { wakeup });
    const name = freshKey();
    const lock = kinds[kind]?.(client, name) as RLock;
    let next: ReturnType<RLock['acquire']> | undefined;
    await lock.withLock(async () => {
      next = client.exit(() => lock.acquire());
      await first(lock);
    });
    const hold = await next;
    expect(await kit.admin.pttl(name)).toBeLessThanOrEqual(30_000);
    expect(hold?.remainingMs()).toBeLessThanOrEqual(30_000);
    await hold?.release();
  });

  it('a call that waited in the process gets its own lease after one that was given back while it was being extended', async () => {
    const client = openClient(kit, { wakeup });
    const name = freshKey();
    const lock = kinds[kind]?.(client, name) as RLock;
    const hold = await lock.acquire();
    const next = lock.acquire();
    const extended = hold.extend(HOUR_MS);
    await hold.release();
    const mine = await next;
    await extended;
    expect(await kit.admin.pttl(name)).toBeLessThanOrEqual(30_000);
    expect(mine.remainingMs()).toBeLessThanOrEqual(30_000);
    await mine.release();
  });
});

describe.each(both.filter(([kind]) => kind !== 'writeLock'))('%s, wakeup %s, with a minimum', (kind, wakeup) => {
  it('a call whose minimum Redis did not confirm, behind its own lease, leaves the lock to others', async () => {
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: proxy.url, wakeup, responseTimeoutMs: 1_000 });
    const name = freshKey();
    const lock = kinds[kind]?.(client, name) as RLock;
    await lock.withLock(() => undefined);
    proxy.hold('down');
    const impatient = new AbortController();
    const failure = failureOf(lock.acquire({ leaseMs: HOUR_MS, signal: impatient.signal }));
    const call = failureOf(lock.acquire({ minHoldMs: HOUR_MS }));
    await waitUntil(async () => (await kit.admin.exists(name)) === 1, { what: 'the lease of the first' });
    impatient.abort();
    await failure;
    const answered = proxy.heal();
    proxy.hold('up');
    await answered;
    expect(await call).toMatchObject({ code: 'LOCK_UNAVAILABLE' });
    await proxy.heal();
    const next = await lock.acquire({ waitMs: 5_000 });
    await next.release();
    expect(await kit.admin.exists(name)).toBe(0);
  });
});

describe.each(['getLock', 'getFencedLock', 'writeLock'])('%s', (kind) => {
  it('a call that is granted the lock while an ask for a longer lease, of a call that has given up, is on its way gets its own', async () => {
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: proxy.url });
    const name = freshKey();
    const lock = kinds[kind]?.(client, name) as RLock;
    const other = await kinds[kind]?.(openClient(kit), name).acquire();
    const impatient = new AbortController();
    const failure = failureOf(lock.acquire({ leaseMs: HOUR_MS, signal: impatient.signal }));
    const call = lock.acquire({ leaseMs: 60_000 });
    await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'a place in the queue' });
    proxy.hold('up');
    await waitUntil(() => proxy.holdsBack(name), { what: 'another ask' });
    impatient.abort();
    await failure;
    const { heldBytes } = proxy;
    await other?.release();
    await waitUntil(() => proxy.heldBytes > heldBytes, { what: 'what the grant makes it send' });
    await proxy.heal();
    const hold = await call;
    await waitUntil(async () => (await kit.admin.pttl(name)) > 10_000, { what: 'more than a claim' });
    expect(await kit.admin.pttl(name)).toBeLessThanOrEqual(60_000);
    await hold.release();
    expect(await kit.admin.exists(name)).toBe(0);
  });
});

describe.each([
  ['getLock', 'holdfast_fresh'],
  ['getFencedLock', 'holdfast_fresh'],
  ['writeLock', 'holdfast_rw_fresh'],
])('%s, granted behind a call that wanted another lease, and has given up', (kind, freshKeyOf) => {
  /** Such a call has given up, and another one waits in its place. */
  async function waiting(given: AcquireOptions, options: AcquireOptions, before?: (proxy: FaultProxy) => void) {
    const proxy = await openProxy(kit);
    const client = openClient(kit, { redis: proxy.url, reaskMs: 20_000, claimLeaseMs: 30_000 });
    const name = freshKey();
    const lock = kinds[kind]?.(client, name) as RLock;
    const other = await kinds[kind]?.(openClient(kit), name).acquire();
    const impatient = new AbortController();
    const failure = failureOf(lock.acquire({ ...given, signal: impatient.signal }));
    const call = lock.acquire(options);
    await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'a place in the queue' });
    before?.(proxy);
    impatient.abort();
    await failure;
    return { proxy, name, other: other as Hold, call };
  }

  it('a call has its own lease when it has the lock, where that is shorter', async () => {
    const { name, other, call } = await waiting({ leaseMs: HOUR_MS }, { leaseMs: 1_000 });
    await other.release();
    const hold = await call;
    expect(await kit.admin.pttl(name)).toBeLessThanOrEqual(1_000);
    await hold.release();
  });

  it('a call has its own lease when it has the lock, where the grant was made before Redis could know of that', async () => {
    const { name, other, call, proxy } = await waiting({ leaseMs: HOUR_MS }, { leaseMs: 1_000 }, (on) => on.hold('up'));
    const { heldBytes } = proxy;
    await other.release();
    await waitUntil(() => proxy.heldBytes > heldBytes, { what: 'what the grant makes it send' });
    await proxy.heal();
    const hold = await call;
    expect(await kit.admin.pttl(name)).toBeLessThanOrEqual(1_000);
    await hold.release();
  });

  it('a call has its own lease when it has the lock, where the message of such a grant was lost', async () => {
    const { name, other, call, proxy } = await waiting({ leaseMs: HOUR_MS }, { leaseMs: 1_000 }, (on) => on.hold('up'));
    proxy.drop('down');
    await other.release();
    await waitUntil(() => proxy.droppedBytes > 0, { what: 'the message' });
    await proxy.heal();
    const hold = await call;
    expect(await kit.admin.pttl(name)).toBeLessThanOrEqual(1_000);
    await hold.release();
  });

  it('a call that is to be renewed is granted the lock for a claim, and not for the shorter lease', async () => {
    const { name, other, call } = await waiting({ leaseMs: 200 }, {});
    const asked = async () =>
      (await kit.admin.hvals(`${freshKeyOf}:{${name}}`)).some((entry) => entry.endsWith(' 30000'));
    await waitUntil(asked, { what: 'its own lease in the queue' });
    await other.release();
    const hold = await call;
    expect(hold.remainingMs()).toBeGreaterThan(1_000);
    await hold.release();
  });
});

it('an ask that is sent again behind the grant makes the lease no longer than the call wants it', async () => {
  const proxy = await openProxy(kit);
  const client = openClient(kit, { redis: proxy.url, claimLeaseMs: 20_000 });
  const name = freshKey();
  const lock = client.getLock(name);
  const other = await openClient(kit).getLock(name).acquire();
  const call = lock.acquire({ leaseMs: 5_000 });
  await waitUntil(async () => (await client.inspect(name)).queue.length === 1, { what: 'a place in the queue' });
  proxy.hold('up');
  const attempt = lock.tryAcquire();
  await waitUntil(() => proxy.holdsBack(name), { what: 'another ask' });
  await other.release();
  const hold = await call;
  expect(await attempt).toBeNull();
  proxy.reset();
  await proxy.heal();
  expect(await lock.isLocked()).toBe(true);
  expect(await kit.admin.pttl(name)).toBeLessThanOrEqual(5_000);
  await hold.release();
});
