/** The channel of a waiting call is refused, for the rights of its user are not complete yet. They are by the time at which the lock is given back. */
import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { describe, expect, it, jest } from '@jest/globals';
import type { LockClient, LockClientOptions } from 'holdfast';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { turns } from '../support/room.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;
/** So far away that whoever has the lock sooner has heard of it. */
const REASK_MS = 4_000;

function setUp(options: Partial<LockClientOptions> = {}) {
  const clock = new ManualClock();
  const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
  const open = (): LockClient => {
    const redis = memoryRedis({ network: direct(() => server), timers: clock }, { lazyConnect: true });
    const openRedis = () => ({ kind: 'node', redis, ownership: 'ours' }) as const;
    const terms = { reaskMs: REASK_MS, claimLeaseMs: 6_000, watchdogTimeoutMs: 30_000, ...options };
    const client = createLockClientIn(
      { ...systemSurroundings(), clock, openRedis },
      { redis: 'redis://memory', ...terms },
    );
    leaks.cleanup(() => client.close());
    return client;
  };
  const pass = async (ms: number) => {
    for (let passed = 0; passed < ms; passed += 10) {
      await clock.advance(10);
      await turns();
    }
  };
  const refuse = () => server.refuse({ code: 'NOPERM', commands: ['subscribe'] });
  return { server, holder: open(), waiter: open(), pass, refuse };
}

interface Held {
  release(): Promise<unknown>;
}
const kinds: Readonly<Record<string, (client: LockClient) => Promise<Held>>> = {
  'a lock': (client) => client.getLock('order').acquire(),
  'a fair lock': (client) => client.getFairLock('order').acquire(),
  'a fenced lock': (client) => client.getFencedLock('order').acquire(),
  'a write lock': (client) => client.getReadWriteLock('order').writeLock().acquire(),
  'a permit': (client) => client.getSemaphore('order', { permits: 1 }).acquire(),
  'the leadership': async (client) => {
    const leadership = await client.election('order').campaign();
    return { release: () => leadership.resign() };
  },
};

describe('a call whose channel was refused', () => {
  it.each([
    ...Object.entries(kinds).map(([kind, take]) => ({ kind, take, wakeup: 'queue' as const })),
    ...Object.entries(kinds).map(([kind, take]) => ({ kind, take, wakeup: 'redisson' as const })),
  ])('hears that $kind is free once it has the right to, by way of the $wakeup', async ({ take, wakeup }) => {
    const { holder, waiter, pass, refuse } = setUp({ wakeup });
    const hold = await take(holder);
    const admit = refuse();
    let had: Held | undefined;
    const waiting = take(waiter).then((one) => {
      had = one;
    });
    await pass(2 * REASK_MS);
    admit();
    await pass(1.5 * REASK_MS);
    const released = hold.release();
    await pass(300);
    expect(had).toBeDefined();
    await Promise.all([waiting, released]);
    const left = had?.release();
    await pass(300);
    await left;
  });

  it.each(['queue', 'redisson'] as const)(
    'asks once in each period while it is refused, by way of the %s',
    async (wakeup) => {
      const { server, holder, waiter, pass, refuse } = setUp({ wakeup });
      const hold = await holder.getLock('order').acquire();
      refuse();
      const executed = jest.spyOn(server, 'execute');
      const waiting = waiter.getLock('order').acquire({ waitMs: 10 * REASK_MS });
      const timedOut = expect(waiting).rejects.toMatchObject({ code: 'LOCK_TIMEOUT' });
      await pass(11 * REASK_MS);
      await timedOut;
      const tried = executed.mock.calls.filter(([, [command]]) => command === 'subscribe').length;
      expect(tried).toBeGreaterThan(5);
      expect(tried).toBeLessThan(30);
      await hold.release();
    },
  );
});
