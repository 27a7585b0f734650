/** A call has the lease that it asked for, in Redis too: not that of a call of its process which has gone. */

import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { AcquireOptions, LockClient, RLock } from 'holdfast';
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
  async function joined(given: AcquireOptions, options: AcquireOptions, answer: 'late' | 'lost' = 'late') {
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
});
