import { describe, expect, it } from '@jest/globals';
import { LockLostError, LockNotHeldError } from 'holdfast';
import { failureOf } from '../support/outcomes.js';
import type { ExclusivePrimitive } from './primitive.js';
import type { SetUp } from './scene.js';
import type { World } from './world.js';

const SHORT_LEASE_MS = 400;
/** A minimum that is over while the test waits for it. */
const SHORT_MINIMUM_MS = 300;
const LONG_MS = 50_000;

/** How long a lock stays taken: `hold.extend` and `minHoldMs`. */
export function keepingContract(primitive: ExclusivePrimitive, setUp: SetUp, world: World): void {
  const within = <T>(call: Promise<T>) => world.outcome(call);

  if (primitive.lacks?.includes('extend') === true) return;

  describe('extending a hold', () => {
    it('with a fixed lease keeps it for so long, here and in Redis, and never for a shorter time', async () => {
      const { lock } = setUp();
      const hold = await within(lock.acquire({ leaseMs: 5_000 }));
      await within(hold.extend(LONG_MS));
      expect(hold.remainingMs()).toBeGreaterThan(LONG_MS / 2);
      expect(await within(lock.remainTimeToLive())).toBeGreaterThan(LONG_MS / 2);
      await within(hold.extend(1_000));
      expect(hold.remainingMs()).toBeGreaterThan(LONG_MS / 2);
      expect(await within(lock.remainTimeToLive())).toBeGreaterThan(LONG_MS / 2);
      await within(hold.release());
    });

    it('that is renewed gives it a lease for so long, and it is renewed on', async () => {
      const { lock } = setUp({ watchdogTimeoutMs: 1_500 });
      const hold = await within(lock.acquire());
      await within(hold.extend(LONG_MS));
      expect(hold.remainingMs()).toBeGreaterThan(LONG_MS / 2);
      expect(await within(lock.remainTimeToLive())).toBeGreaterThan(LONG_MS / 2);
      expect(hold.state).toBe('held');
      await within(hold.release());
    });

    it('tells a loss of which only Redis knows', async () => {
      const { name, lock } = setUp();
      const hold = await within(lock.acquire({ leaseMs: LONG_MS }));
      await world.deleteLock(name);
      expect(await within(failureOf(hold.extend(LONG_MS)))).toBeInstanceOf(LockLostError);
      expect(hold.signal.aborted).toBe(true);
    });

    it('is not for one that was given back, nor beyond maxHoldMs, nor for no time at all', async () => {
      const { lock } = setUp();
      const hold = await within(lock.acquire({ maxHoldMs: 10_000 }));
      expect(await within(failureOf(hold.extend(LONG_MS)))).toBeInstanceOf(RangeError);
      expect(await within(failureOf(hold.extend(0)))).toBeInstanceOf(RangeError);
      await within(hold.extend(5_000));
      await within(hold.release());
      expect(await within(failureOf(hold.extend(5_000)))).toBeInstanceOf(LockNotHeldError);
    });

    if (primitive.reenters)
      it('inside another one extends both, and the outer one keeps it', async () => {
        const { lock } = setUp();
        const outer = await within(lock.acquire({ leaseMs: 5_000 }));
        const inner = await within(outer.run(() => lock.acquire({ leaseMs: 1_000 })));
        await within(inner.extend(LONG_MS));
        await within(inner.release());
        expect(outer.remainingMs()).toBeGreaterThan(LONG_MS / 2);
        await within(outer.release());
      });
  });

  if (primitive.lacks?.includes('minHoldMs')) return;

  describe('a lock with a minimum', () => {
    it('stays taken until it is over, by nobody, and then goes to who waits, in another process and in this one', async () => {
      const { lock, stranger, waiting, gone } = setUp();
      const other = stranger();
      expect(await within(lock.withLock({ minHoldMs: LONG_MS }, () => 'quick'))).toBe('quick');
      expect(await within(other.tryLock())).toBe(false);
      expect(await within(lock.tryLock())).toBe(false);
      expect(await within(lock.isLocked())).toBe(true);
      expect(await within(lock.getHoldCount())).toBe(0);
      expect(await within(lock.remainTimeToLive())).toBeGreaterThan(LONG_MS / 2);
      expect(await within(other.forceUnlock())).toBe(true);
      await gone();
      const hold = await within(lock.acquire({ minHoldMs: SHORT_MINIMUM_MS }));
      const theirs = other.withLock(({ inherited }) => inherited);
      await waiting(1);
      await within(hold.release());
      const ours = lock.withLock(({ inherited }) => inherited);
      expect(await within(Promise.all([theirs, ours]))).toEqual([undefined, undefined]);
    });

    it('was given back, for who waits for it, also when another waiter has given up', async () => {
      const { lock, stranger, waiting } = setUp();
      const hold = await within(lock.acquire({ minHoldMs: SHORT_MINIMUM_MS }));
      const call = stranger().withLock(({ inherited }) => inherited);
      await waiting(1);
      await within(hold.release());
      const impatient = await within(stranger().tryAcquire({ waitMs: SHORT_MINIMUM_MS / 3 }));
      await impatient?.release();
      expect(await within(call)).toBeUndefined();
    });

    it('is not kept for longer when the minimum was over before, nor when the hold was lost', async () => {
      const { lock, stranger, waiting } = setUp();
      const hold = await within(lock.acquire({ minHoldMs: 1 }));
      const call = stranger().acquire();
      await waiting(1);
      await within(hold.release());
      await within((await within(call)).release());
      const lost = await within(lock.acquire({ leaseMs: SHORT_LEASE_MS, minHoldMs: SHORT_LEASE_MS }));
      await world.until(() => lost.state === 'lost', 'the loss');
      await within((await within(stranger().acquire())).release());
    });

    it('is kept when its client closes, after the release and over the hold', async () => {
      const { client, lock, stranger } = setUp();
      const other = stranger();
      await within(lock.withLock({ minHoldMs: LONG_MS }, () => undefined));
      await within(client.close());
      expect(await within(other.tryLock())).toBe(false);
      expect(await within(other.forceUnlock())).toBe(true);
      const next = setUp();
      await within(next.lock.acquire({ minHoldMs: LONG_MS }));
      await within(next.client.close());
      const third = next.stranger();
      expect(await within(third.tryLock())).toBe(false);
      expect(await within(third.remainTimeToLive())).toBeGreaterThan(LONG_MS / 2);
      expect(await within(third.forceUnlock())).toBe(true);
    });

    it('is kept beside a lease that is fixed', async () => {
      const { lock, stranger } = setUp();
      const hold = await within(lock.acquire({ leaseMs: LONG_MS, minHoldMs: LONG_MS }));
      await within(hold.release());
      expect(await within(stranger().tryLock())).toBe(false);
      expect(await within(stranger().forceUnlock())).toBe(true);
    });

    it.each([
      ['is longer than the lease', { watchdogTimeoutMs: 1_500 }, {}],
      [
        'is not, where the lock was asked for by a call that wanted less',
        { watchdogTimeoutMs: 2 * LONG_MS },
        { leaseMs: 1_500 },
      ],
    ])(
      'that %s is kept in Redis at once, for the case that its holder dies, also where the call that asked has given up',
      async (_what, options, first) => {
        const { lock } = setUp(options);
        await within(lock.isLocked());
        const abort = new AbortController();
        const impatient = failureOf(lock.acquire({ ...first, signal: abort.signal }));
        const patient = lock.acquire({ minHoldMs: LONG_MS });
        abort.abort();
        await impatient;
        const hold = await within(patient);
        expect(await within(lock.remainTimeToLive())).toBeGreaterThan(LONG_MS / 2);
        await within(hold.release());
      },
    );

    it('is not kept for a call that did not get it', async () => {
      const { lock, stranger, gone } = setUp();
      const hold = await within(lock.acquire());
      expect(await within(stranger().tryAcquire({ minHoldMs: LONG_MS }))).toBe(null);
      expect(await within(stranger().tryAcquire({ minHoldMs: LONG_MS, waitMs: 50 }))).toBe(null);
      await within(hold.release());
      await gone();
    });

    if (primitive.reenters)
      it('of a hold inside another one is kept when the outer one is given back', async () => {
        const { lock, stranger } = setUp();
        await within(lock.withLock(() => lock.withLock({ minHoldMs: LONG_MS }, () => undefined)));
        expect(await within(stranger().tryLock())).toBe(false);
        expect(await within(stranger().forceUnlock())).toBe(true);
      });
  });
}
