/** Options that answer differently each time they are asked: what was checked is what is used. */
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { createLockClient, type RLock } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';

const kit = useRedis();

/** What a second look finds in place of a value. */
const garbage: readonly unknown[] = [Number.NaN, -1, 'soon', null, {}, () => undefined, 2 ** 53, Symbol('other')];

/** An object with these values at the first look, something else at every other, and a note of who looked twice. */
function shifty<T extends object>(values: T, other: unknown): { options: T; lookedTwice: string[] } {
  const looked = new Set<PropertyKey>();
  const lookedTwice: string[] = [];
  const options = new Proxy(values, {
    get(target, key) {
      if (!looked.has(key)) {
        looked.add(key);
        return Reflect.get(target, key) as unknown;
      }
      lookedTwice.push(String(key));
      return other;
    },
  });
  return { options, lookedTwice };
}

const { signal } = new AbortController();
const nothing = () => undefined;
const fixed = { waitMs: 1_000, leaseMs: 5_000, signal };
const watched = { waitMs: 1_000, maxHoldMs: 5_000, signal };

const times = {
  watchdogTimeoutMs: 30_000,
  maxHoldMs: 60_000,
  attemptTimeoutMs: 1_000,
  responseTimeoutMs: 10_000,
  claimLeaseMs: 3_000,
  reaskMs: 1_500,
};

type Call = readonly [title: string, values: object, call: (lock: RLock, options: never) => Promise<unknown>];
const lockAndUnlock = (call: (lock: RLock, options: never) => Promise<unknown>): Call[2] => {
  return async (lock, options) => {
    await call(lock, options);
    await lock.unlock();
  };
};

const calls: readonly Call[] = [
  ['lock', { leaseMs: 5_000, signal }, lockAndUnlock((lock, options) => lock.lock(options))],
  ['lock', { maxHoldMs: 5_000, signal }, lockAndUnlock((lock, options) => lock.lock(options))],
  ['tryLock', { signal }, lockAndUnlock((lock, options) => lock.tryLock(1_000, 5_000, options))],
  ...[fixed, watched].flatMap((values): Call[] => [
    ['acquire', values, async (lock, options) => (await lock.acquire(options)).release()],
    ['tryAcquire', values, async (lock, options) => (await lock.tryAcquire(options))?.release()],
    ['withLock', values, (lock, options) => lock.withLock(options, nothing)],
    ['tryWithLock', values, (lock, options) => lock.tryWithLock(options, nothing)],
  ]),
];

describe('options are read once', () => {
  it.each(calls)('by %s(%o)', async (_, values, call) => {
    const client = openClient(kit);
    for (const other of garbage) {
      const { options, lookedTwice } = shifty(values, other);
      await call(client.getLock(freshName()), options as never);
      expect(lookedTwice).toEqual([]);
    }
  });

  it('by getLock and close', async () => {
    for (const other of garbage) {
      const client = openClient(kit);
      const handle = shifty({ owner: 'me' }, other);
      await client.getLock(freshName(), handle.options).withLock(nothing);
      const end = shifty({ drainMs: 100 }, other);
      await client.close(end.options);
      expect([...handle.lookedTwice, ...end.lookedTwice]).toEqual([]);
    }
  });

  it.each([{}, { replicas: { min: 1, timeoutMs: 100 } }])(
    'by createLockClient, in whatever depth: %o',
    async (extra) => {
      const { hostname, port } = new URL(kit.server.url);
      for (const other of garbage) {
        const nested = Object.entries({
          redis: { host: hostname, port: Number(port) },
          limits: { waiters: 10, locks: 10, depth: 10, leaseMs: 60_000 },
          ...extra,
        }).map(([key, values]) => ({ key, ...shifty(values, other) }));
        const { options, lookedTwice } = shifty(
          { ...times, wakeup: 'queue', strictScopes: false, releaseOnScopeEnd: false, ...optionsOf(nested) },
          other,
        );
        const client = createLockClient(options as never);
        kit.cleanup(() => client.close());
        await client
          .getLock(freshName())
          .withLock(nothing)
          .catch((error: unknown) => expect(error).toMatchObject({ code: 'LOCK_NOT_REPLICATED' }));
        expect(nested.flatMap((part) => part.lookedTwice).concat(lookedTwice)).toEqual([]);
      }
    },
  );
});

function optionsOf(parts: readonly { key: string; options: object }[]): object {
  return Object.fromEntries(parts.map(({ key, options }) => [key, options]));
}
