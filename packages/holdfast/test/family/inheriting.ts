import { describe, expect, it } from '@jest/globals';
import type { Hold, RLock } from 'holdfast';
import type { Scene, SetUp } from './scene.js';
import type { Wakeup, World } from './world.js';

/** A fixed lease that ends while the test waits for it. */
const SHORT_LEASE_MS = 400;
/** A waiter that stands still for longer than a claim is not granted the lock, or has it no more when it looks: nobody is there who could be told. */
const PATIENT = { claimLeaseMs: 60_000 };
const EXPIRED = expect.objectContaining({ reason: 'expired' });

/** What a hold is told of the one before it, when that was not given back. */
export function inheritingContract(setUp: SetUp, world: World, wakeup: Wakeup): void {
  const within = <T>(call: Promise<T>) => world.outcome(call);

  /**
   * The hold that `next` gets after waiting for a lease of `lock` to run out. On a machine that stands still for longer than that lease, `next` finds
   * the lock free when it first asks, or before it has a place in the queue: then it is tried again.
   */
  async function afterAnOverdue({ name, lock }: Scene, next: RLock): Promise<Hold> {
    for (;;) {
      // It is connected, so that it asks at once.
      await within(next.isLocked());
      await within(lock.acquire({ leaseMs: SHORT_LEASE_MS }));
      let had = false;
      const call = next.acquire().finally(() => {
        had = true;
      });
      // Asked behind the first ask, on the same connection: the lease is that of `lock` unless that ask has already won.
      const leftMs = await within(next.remainTimeToLive());
      let waited = leftMs > 0 && leftMs <= SHORT_LEASE_MS;
      if (wakeup === 'queue') {
        let places = 0;
        const standing = async () => (places = await world.waiters(name, wakeup)) === 1 || had;
        await world.until(standing, `a call to wait for ${name}`);
        waited &&= places === 1;
      }
      const hold = await within(call);
      if (waited) return hold;
      await within(hold.release());
    }
  }

  describe('a lock that was not given back', () => {
    it('tells the next holder, who had waited for it, and holds inside that one; who comes after it is told nothing', async () => {
      const scene = setUp();
      const [second, third] = [scene.stranger(), scene.stranger()];
      const next = await afterAnOverdue(scene, second);
      expect(next.inherited).toEqual(EXPIRED);
      if (wakeup === 'queue') expect(next.inherited?.since).toEqual(expect.any(Number));
      await within(next.run(() => second.withLock((inner) => expect(inner.inherited).toEqual(next.inherited))));
      const last = third.withLock((hold) => hold.inherited);
      await scene.waiting(1);
      await within(next.release());
      expect(await within(last)).toBeUndefined();
    });

    it('tells a hold inside the next one, which is given back before Redis has counted the one inside', async () => {
      const scene = setUp();
      const second = scene.stranger();
      const next = await afterAnOverdue(scene, second);
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
        const { client, lock, stranger, waiting } = setUp(PATIENT);
        await within(lock.acquire());
        const call = stranger().acquire();
        await waiting(1);
        await within(client.close());
        expect((await within(call)).inherited).toEqual(EXPIRED);
      });

    if (wakeup === 'queue')
      it('because it was forced, tells it; and because its key was deleted', async () => {
        const { name, lock, stranger, waiting } = setUp(PATIENT);
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
