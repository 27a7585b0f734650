import { waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName, type Site } from './site.js';

const watchdogTimeoutMs = 1_500;

/** Counts and leases mean the same on both sides, and no side touches the lease of the other. */
export function leases(site: () => Site): void {
  /** Resolves when the lease has been seen to be renewed that often: its rest grew. */
  const renewed = async (name: string, times: number) => {
    let rest = await site().pttl(name);
    let seen = 0;
    await waitUntil(
      async () => {
        const now = await site().pttl(name);
        expect(now).toBeGreaterThan(0);
        if (now > rest) seen++;
        rest = now;
        return seen >= times;
      },
      { what: `${times} renewals of ${name}`, timeoutMs: 15_000, everyMs: 20 },
    );
  };

  describe('counts and leases', () => {
    it('holds are counted alike', async () => {
      const name = freshName();
      const thread = site().thread();
      const client = site().client();
      const lock = client.getLock(name);
      await thread.lock(name);
      await thread.lock(name);
      expect(await site().fields(name)).toEqual({ [await thread.ownField()]: '2' });
      expect((await client.inspect(name)).owner).toEqual({
        kind: 'foreign',
        resting: false,
        id: await thread.ownField(),
        holdCount: 2,
        remainingMs: expect.any(Number),
      });
      expect(await lock.getHoldCount()).toBe(0);
      await thread.unlock(name);
      expect(await lock.tryLock()).toBe(false);
      await thread.unlock(name);
      await lock.withLock(() =>
        lock.withLock(async () => {
          expect(await lock.getHoldCount()).toBe(2);
          expect(Object.values(await site().fields(name))).toContain('2');
          expect(await thread.holdCount(name)).toBe(0);
        }),
      );
      expect(await thread.isLocked(name)).toBe(false);
    });

    it('the remaining lease is read alike', async () => {
      const name = freshName();
      const thread = site().thread();
      const lock = site().client().getLock(name);
      const near = (value: number, leaseMs: number) => {
        expect(value).toBeGreaterThan(leaseMs - 5_000);
        expect(value).toBeLessThanOrEqual(leaseMs);
      };
      await thread.lock(name, { leaseMs: 40_000 });
      near(await lock.remainTimeToLive(), 40_000);
      near(await thread.remainTimeToLive(name), 40_000);
      await thread.unlock(name);
      await lock.lock(50_000);
      near(await lock.remainTimeToLive(), 50_000);
      near(await thread.remainTimeToLive(name), 50_000);
      await lock.unlock();
      expect([await lock.remainTimeToLive(), await thread.remainTimeToLive(name)]).toEqual([-2, -2]);
    });

    it('each side renews its own lock, and the other waits all the while', async () => {
      const name = freshName();
      const java = await site().startJava({ watchdogTimeoutMs });
      const thread = java.thread('holder');
      const lock = site().client({ watchdogTimeoutMs }).getLock(name);
      await thread.lock(name);
      const node = lock.acquire();
      await renewed(name, 4);
      expect(await thread.isHeldByCurrentThread(name)).toBe(true);
      await thread.unlock(name);
      const hold = await node;
      const waiting = thread.lock(name);
      await renewed(name, 4);
      expect(hold.state).toBe('held');
      await hold.release();
      await waiting;
      await thread.unlock(name);
    });

    it('asking for a lock does not change the lease of its holder, on either side', async () => {
      const name = freshName();
      const thread = site().thread();
      const lock = site().client({ reaskMs: 10 }).getLock(name);
      await thread.lock(name, { leaseMs: 60_000 });
      expect(await lock.tryLock(200, 1_000)).toBe(false);
      expect(await lock.tryLock(200, 200_000)).toBe(false);
      expect(await site().pttl(name)).toBeGreaterThan(50_000);
      expect(await site().pttl(name)).toBeLessThanOrEqual(60_000);
      await thread.unlock(name);
      const hold = await lock.acquire({ leaseMs: 60_000 });
      expect(await thread.tryLock(name, { waitMs: 200, leaseMs: 1_000 })).toBe(false);
      expect(await thread.tryLock(name, { waitMs: 200, leaseMs: 200_000 })).toBe(false);
      expect(await site().pttl(name)).toBeGreaterThan(50_000);
      expect(await site().pttl(name)).toBeLessThanOrEqual(60_000);
      await hold.release();
    });

    it("a watchdog whose lock was taken away does not touch the next owner's lease", async () => {
      const name = freshName();
      const leaseMs = 2 * watchdogTimeoutMs;
      const java = await site().startJava({ watchdogTimeoutMs });
      const thread = java.thread('holder');
      const lock = site().client({ watchdogTimeoutMs }).getLock(name);

      await thread.lock(name);
      expect(await lock.forceUnlock()).toBe(true);
      const fixed = await lock.acquire({ leaseMs });
      await untilExpired(name, leaseMs);
      expect(fixed.state).toBe('lost');

      const watched = await lock.acquire();
      expect(await thread.forceUnlock(name)).toBe(true);
      await thread.lock(name, { leaseMs });
      await untilExpired(name, leaseMs);
      expect(watched.state).toBe('lost');
      expect(await thread.isLocked(name)).toBe(false);
    });
  });

  /** Resolves when a lease of at most `leaseMs` has run out, and nobody has made it longer or shorter. */
  const untilExpired = async (name: string, leaseMs: number) => {
    const rest = await site().pttl(name);
    const endsAt = performance.now() + rest;
    expect(rest).toBeGreaterThan(leaseMs - 1_000);
    await waitUntil(async () => (await site().pttl(name)) === -2, { what: `the lease of ${name} has run out` });
    expect(Math.abs(performance.now() - endsAt)).toBeLessThan(500);
  };
}
