import { describe, expect, it } from '@jest/globals';
import type { SetUp } from './scene.js';
import type { Wakeup, World } from './world.js';

/** A fixed lease that ends while the test waits for it. */
const SHORT_LEASE_MS = 400;
const EXPIRED = expect.objectContaining({ reason: 'expired' });

/** What a hold is told of the one before it, when that was not given back. */
export function inheritingContract(setUp: SetUp, world: World, wakeup: Wakeup): void {
  const within = <T>(call: Promise<T>) => world.outcome(call);

  describe('a lock that was not given back', () => {
    it('tells the next holder, who had waited for it, and holds inside that one; who comes after it is told nothing', async () => {
      const { lock, stranger, waiting } = setUp();
      const [second, third] = [stranger(), stranger()];
      // It is connected, so that it waits before the lease ends.
      await within(second.isLocked());
      await within(lock.acquire({ leaseMs: SHORT_LEASE_MS }));
      const call = second.acquire();
      await waiting(1);
      const next = await within(call);
      expect(next.inherited).toEqual(EXPIRED);
      if (wakeup === 'queue') expect(next.inherited?.since).toEqual(expect.any(Number));
      await within(next.run(() => second.withLock((inner) => expect(inner.inherited).toEqual(next.inherited))));
      const last = third.withLock((hold) => hold.inherited);
      await waiting(1);
      await within(next.release());
      expect(await within(last)).toBeUndefined();
    });

    it('tells a hold inside the next one, which is given back before Redis has counted the one inside', async () => {
      const { lock, stranger, waiting } = setUp();
      const second = stranger();
      await within(second.isLocked());
      await within(lock.acquire({ leaseMs: SHORT_LEASE_MS }));
      const call = second.acquire();
      await waiting(1);
      const next = await within(call);
      const inside = next.run(() => second.acquire());
      await within(next.release());
      expect((await within(inside)).inherited).toEqual(next.inherited);
    });

    it('tells the next task of the same process, and not the one after it', async () => {
      const { lock } = setUp();
      await within(lock.acquire({ leaseMs: SHORT_LEASE_MS }));
      const told = [1, 2].map(() => lock.withLock((hold) => hold.inherited?.reason));
      expect(await within(Promise.all(told))).toEqual(['expired', undefined]);
    });

    if (wakeup === 'queue')
      it('because the client was closed over an open hold, tells it too', async () => {
        const { client, lock, stranger, waiting } = setUp();
        await within(lock.acquire());
        const call = stranger().acquire();
        await waiting(1);
        await within(client.close());
        expect((await within(call)).inherited).toEqual(EXPIRED);
      });

    if (wakeup === 'queue')
      it('because it was forced, tells it; and because its key was deleted', async () => {
        const { name, lock, stranger, waiting } = setUp();
        await within(lock.acquire());
        const calls = [stranger().acquire()];
        await waiting(1);
        expect(await within(stranger().forceUnlock())).toBe(true);
        expect((await within(calls[0] as (typeof calls)[0])).inherited).toEqual({
          reason: 'forced',
          since: expect.any(Number),
        });
        const deleted = stranger().acquire();
        await waiting(1);
        await world.deleteLock(name);
        expect((await within(deleted)).inherited).toEqual(EXPIRED);
      });

    it('tells nothing when it was given back, however short its lease was', async () => {
      const { lock, stranger, waiting } = setUp();
      const hold = await within(lock.acquire({ leaseMs: 5_000 }));
      const call = stranger().acquire();
      await waiting(1);
      await within(hold.release());
      const next = await within(call);
      expect(next.inherited).toBeUndefined();
      await within(next.release());
      const free = await within(lock.acquire());
      expect(free.inherited).toBeUndefined();
    });
  });
}
