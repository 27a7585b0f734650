/** A memory server says of a key of another type what Redis says; see `contract/not-a-lock.test.ts`. */
import { expect, it } from '@jest/globals';
import { direct, memoryRedis, MemoryServer } from '@holdfast/memory';
import { guardLeaks, ManualClock } from '@holdfast/testkit';
import { createLockClientIn, systemSurroundings } from '../../src/internal.js';
import { failureOf } from '../support/outcomes.js';

const leaks = guardLeaks();
const EPOCH_MS = 1_700_000_000_000;

it.each(['readLock', 'writeLock'] as const)(
  'it takes the hold of a %s away, and a call inside is told',
  async (side) => {
    const clock = new ManualClock();
    const server = new MemoryServer({ now: () => EPOCH_MS + clock.now() });
    const openRedis = () => memoryRedis({ network: direct(() => server), timers: clock }, { lazyConnect: true });
    const admin = openRedis();
    leaks.cleanup(() => admin.disconnect());
    const given = () => ({ kind: 'node', redis: openRedis(), ownership: 'ours' }) as const;
    const client = createLockClientIn(
      { ...systemSurroundings(), clock, openRedis: given },
      { redis: 'redis://memory' },
    );
    leaks.cleanup(() => client.close());
    const lock = client.getReadWriteLock('order')[side]();
    const hold = await lock.acquire();
    await admin.set('order', 'text');
    const inside = hold.run(() => lock.acquire({ leaseMs: 120_000 }));
    expect(await failureOf(inside)).toMatchObject({ code: 'LOCK_LOST' });
    expect(hold.state).toBe('lost');
  },
);
