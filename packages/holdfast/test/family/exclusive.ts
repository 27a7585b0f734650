import { describe, expect, it } from '@jest/globals';
import {
  type Hold,
  LockClientClosedError,
  type LockClientOptions,
  LockLostError,
  LockNotHeldError,
  LockTimeoutError,
  type RLock,
} from 'holdfast';
import { freshName } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import { inheritingContract } from './inheriting.js';
import { keepingContract } from './keeping.js';
import type { ExclusivePrimitive } from './primitive.js';
import type { Scene } from './scene.js';
import type { Wakeup, World } from './world.js';

/** Renewed every third of it, and over soon when nothing renews it. */
const SHORT: Partial<LockClientOptions> = { watchdogTimeoutMs: 1_500 };
/** A fixed lease that ends while the test waits for it. */
const SHORT_LEASE_MS = 400;
/** A wait that is over soon. */
const SHORT_WAIT_MS = 50;

/**
 * What every lock of the family must do that has one holder at a time, whatever else it does. It is asked of each primitive, in each mode of
 * waking up, in each world.
 */
export function exclusiveContract(primitive: ExclusivePrimitive, world: World, wakeup: Wakeup): void {
  const line = primitive.wakeup ?? wakeup;
  const setUp = (options: Partial<LockClientOptions> = {}): Scene => {
    const name = freshName();
    const client = world.open({ wakeup, ...options });
    return {
      name,
      client,
      lock: primitive.get(client, name),
      stranger: (more) => primitive.get(world.open({ wakeup, ...options, ...more }), name),
      waiting: (count) => {
        // Who is not seen to wait has had time to ask.
        let looks = 0;
        const wait = async () => (line === 'none' ? ++looks > 5 : (await world.waiters(name, line)) === count);
        return world.until(wait, `${count} clients to wait for ${name}`);
      },
      gone: () => world.until(async () => (await world.keysOf(name)).length === 0, `nothing of ${name} to be left`),
    };
  };
  const within = <T>(call: Promise<T>) => world.outcome(call);

  describe('one attempt', () => {
    it('gets a lock that is free, and answers false at once while another process has it', async () => {
      const { lock, stranger } = setUp();
      expect(await within(lock.tryLock())).toBe(true);
      const other = stranger();
      expect(await within(other.tryLock())).toBe(false);
      expect(await within(other.tryAcquire())).toBe(null);
      expect(await within(other.tryWithLock(() => 'ran'))).toEqual({ ran: false });
      await within(lock.unlock());
      expect(await within(other.tryLock())).toBe(true);
      await within(other.unlock());
    });

    it('leaves nothing behind on the server when it is given back', async () => {
      const { lock, gone } = setUp();
      const hold = await within(lock.acquire());
      await within(hold.release());
      await gone();
    });
  });

  describe('waiting', () => {
    it('ends with the lock when its holder in another process gives it back', async () => {
      const { lock, stranger, waiting } = setUp();
      const hold = await within(lock.acquire());
      const call = stranger().acquire();
      await waiting(1);
      await within(hold.release());
      const next = await within(call);
      expect(next.state).toBe('held');
      await within(next.release());
    });

    it('ends at its deadline, leaves no place behind, and the lock goes to who still waits', async () => {
      const { lock, stranger, waiting, gone } = setUp();
      const hold = await within(lock.acquire());
      const [hasty, patient] = [stranger(), stranger()];
      expect(await within(hasty.tryLock(SHORT_WAIT_MS))).toBe(false);
      expect(await within(hasty.tryAcquire({ waitMs: SHORT_WAIT_MS }))).toBe(null);
      expect(await within(failureOf(hasty.acquire({ waitMs: SHORT_WAIT_MS })))).toBeInstanceOf(LockTimeoutError);
      const call = patient.acquire();
      await waiting(1);
      await within(hold.release());
      await within((await within(call)).release());
      await gone();
    });

    it('ends with the reason of its signal, and the lock goes to who still waits', async () => {
      const { lock, stranger, waiting, gone } = setUp();
      const hold = await within(lock.acquire());
      const abort = new AbortController();
      const given = failureOf(stranger().acquire({ signal: abort.signal }));
      await waiting(1);
      const call = stranger().acquire();
      await waiting(2);
      const reason = new Error('no longer wanted');
      abort.abort(reason);
      expect(await within(given)).toBe(reason);
      await within(hold.release());
      await within((await within(call)).release());
      await gone();
    });

    it('does not begin when its signal has aborted', async () => {
      const { lock, gone } = setUp();
      const reason = new Error('never wanted');
      expect(await within(failureOf(lock.lock({ signal: AbortSignal.abort(reason) })))).toBe(reason);
      await gone();
    });

    it('in one process is first come, first served', async () => {
      const { lock } = setUp();
      const hold = await within(lock.acquire());
      const order: number[] = [];
      const calls = [1, 2, 3, 4].map((number) => lock.withLock(() => order.push(number)));
      await within(hold.release());
      await within(Promise.all(calls));
      expect(order).toEqual([1, 2, 3, 4]);
    });

    if (line === 'queue')
      it('in several processes is first come, first served', async () => {
        const { lock, stranger, waiting } = setUp();
        const hold = await within(lock.acquire());
        const order: number[] = [];
        const calls: Promise<unknown>[] = [];
        for (const number of [1, 2, 3]) {
          calls.push(stranger().withLock(() => order.push(number)));
          await waiting(number);
        }
        await within(hold.release());
        await within(Promise.all(calls));
        expect(order).toEqual([1, 2, 3]);
      });
  });

  describe('exclusion', () => {
    it('holds among tasks of several processes that all want the lock', async () => {
      const { lock, stranger } = setUp();
      const handles = [lock, stranger(), stranger()];
      let inside = 0;
      let most = 0;
      let sections = 0;
      const section = async () => {
        most = Math.max(most, ++inside);
        await Promise.resolve();
        sections++;
        inside--;
      };
      await within(Promise.all(handles.flatMap((handle) => Array.from({ length: 8 }, () => handle.withLock(section)))));
      expect({ most, sections }).toEqual({ most: 1, sections: 24 });
    });

    it('holds among branches of one scope, which are no part of each other', async () => {
      const { client, lock } = setUp();
      let inside = 0;
      let most = 0;
      const branch = () =>
        lock.withLock(async () => {
          most = Math.max(most, ++inside);
          await Promise.resolve();
          inside--;
        });
      await within(client.run(() => Promise.all([branch(), branch(), branch()])));
      expect(most).toBe(1);
    });
  });

  describe('a section', () => {
    it('gives what its function gives, and the lock back when the function fails', async () => {
      const { lock, stranger } = setUp();
      expect(await within(lock.withLock(() => 7))).toBe(7);
      const failure = new Error('work failed');
      expect(await within(failureOf(lock.withLock(() => Promise.reject(failure))))).toBe(failure);
      expect(await within(stranger().withLock(() => 'free'))).toBe('free');
    });

    it('has the lock until its function has settled, and not longer', async () => {
      const { lock, stranger } = setUp();
      const other = stranger();
      let finish!: () => void;
      let started!: () => void;
      const begun = new Promise<void>((resolve) => (started = resolve));
      const section = lock.withLock(() => {
        started();
        return new Promise<void>((resolve) => (finish = resolve));
      });
      await within(begun);
      expect(await within(other.tryLock())).toBe(false);
      finish();
      await within(section);
      expect(await within(other.tryLock())).toBe(true);
      await within(other.unlock());
    });
  });

  describe('a lease', () => {
    it('without a length is renewed for as long as the lock is held', async () => {
      const { client, lock, stranger } = setUp(SHORT);
      const hold = await within(lock.acquire());
      const renewals = () => client.stats().renewals.renewed + client.stats().renewals.held;
      await world.until(() => renewals() >= 4, 'four renewals');
      expect(hold.state).toBe('held');
      expect(await within(stranger().tryLock())).toBe(false);
      await within(hold.release());
    });

    it('with a length runs out: the holder is told, then another may enter', async () => {
      const { lock, stranger } = setUp();
      const hold = await within(lock.acquire({ leaseMs: SHORT_LEASE_MS }));
      const next = stranger().acquire();
      let lostBefore: boolean | undefined;
      const got = next.then((other) => {
        lostBefore = hold.state === 'lost';
        return other;
      });
      const other = await within(got);
      expect(lostBefore).toBe(true);
      expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
      expect(await within(failureOf(hold.release()))).toBeInstanceOf(LockLostError);
      await within(other.release());
    });
  });

  describe('extend()', () => {
    it('keeps the lock for as long as it says, and not for less than it has', async () => {
      const { lock, stranger } = setUp();
      const hold = await within(lock.acquire({ leaseMs: SHORT_LEASE_MS }));
      await within(hold.extend(4 * SHORT_LEASE_MS));
      expect(hold.remainingMs()).toBeGreaterThan(2 * SHORT_LEASE_MS);
      await within(hold.extend(SHORT_LEASE_MS));
      expect(hold.remainingMs()).toBeGreaterThan(2 * SHORT_LEASE_MS);
      expect(await within(stranger().tryLock(SHORT_LEASE_MS))).toBe(false);
      expect(hold.state).toBe('held');
      await within(hold.release());
    });

    it('of a lock that another owner has by now says so', async () => {
      const { name, lock, stranger } = setUp();
      const hold = await within(lock.acquire());
      await world.deleteLock(name);
      const other = stranger();
      await within(other.lock());
      const error = await within(failureOf(hold.extend(4 * SHORT_LEASE_MS)));
      expect(error).toMatchObject({ code: 'LOCK_LOST', reason: 'taken' });
      await within(other.unlock());
    });
  });

  describe('a loss', () => {
    const lost = async (scene: Scene): Promise<{ hold: Hold; events: unknown[] }> => {
      const events: unknown[] = [];
      scene.client.on('lost', ({ name, error }) => events.push({ name, reason: error.reason }));
      const hold = await within(scene.lock.acquire());
      await world.deleteLock(scene.name);
      await world.until(() => hold.signal.aborted, 'the loss to be noticed');
      return { hold, events };
    };

    it('aborts the signal, is told once as an event, and once by the release', async () => {
      const scene = setUp(SHORT);
      const { hold, events } = await lost(scene);
      expect(hold.state).toBe('lost');
      expect(hold.remainingMs()).toBe(0);
      expect(hold.signal.reason).toBeInstanceOf(LockLostError);
      expect(() => hold.assertHeld()).toThrow(LockLostError);
      expect(await within(failureOf(hold.release()))).toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
      expect(await within(hold.release())).toBeUndefined();
      expect(events).toEqual([{ name: scene.name, reason: 'deleted' }]);
    });

    it('keeps calls inside the hold from getting the lock afresh', async () => {
      const scene = setUp(SHORT);
      let ran = false;
      const section = scene.lock.withLock(async (hold) => {
        await world.deleteLock(scene.name);
        await world.until(() => hold.signal.aborted, 'the loss to be noticed');
        expect(await within(failureOf(scene.lock.acquire()))).toBeInstanceOf(LockLostError);
        ran = true;
      });
      expect(await within(failureOf(section))).toBeInstanceOf(LockLostError);
      expect(ran).toBe(true);
    });

    it('by force is told to the holder in another process', async () => {
      const { lock, stranger } = setUp(SHORT);
      const hold = await within(lock.acquire());
      expect(await within(stranger().forceUnlock())).toBe(true);
      await world.until(() => hold.signal.aborted, 'the loss to be noticed');
      // Without a message the next renewal only finds that it has gone.
      expect(hold.signal.reason).toMatchObject({ reason: line === 'none' ? 'deleted' : 'force-unlocked' });
      expect(await within(failureOf(hold.release()))).toBeInstanceOf(LockLostError);
    });
  });

  describe('giving back', () => {
    it('what is not held is an error that says so', async () => {
      const { client, lock } = setUp();
      expect(await within(failureOf(lock.unlock()))).toBeInstanceOf(LockNotHeldError);
      expect(await within(failureOf(client.run(() => lock.unlock())))).toBeInstanceOf(LockNotHeldError);
    });

    it('twice does nothing, and takes the lock from nobody', async () => {
      const { lock, stranger } = setUp();
      const hold = await within(lock.acquire());
      await within(hold.release());
      const next = await within(stranger().acquire());
      await within(hold.release());
      expect(hold.state).toBe('released');
      expect(() => hold.assertHeld()).toThrow(LockNotHeldError);
      expect(next.state).toBe('held');
      await within(next.release());
    });
  });

  describe('closing the client', () => {
    it('ends what waits, takes back what is held, and the lock goes to another process at once', async () => {
      const { client, lock, stranger, waiting } = setUp();
      const hold = await within(lock.acquire());
      const waits = failureOf(lock.acquire());
      const next = stranger().acquire();
      await waiting(1);
      await within(client.close());
      expect(await within(waits)).toBeInstanceOf(LockClientClosedError);
      expect(hold.signal.reason).toMatchObject({ code: 'LOCK_LOST', reason: 'closed' });
      expect(await within(failureOf(lock.lock()))).toBeInstanceOf(LockClientClosedError);
      await within((await within(next)).release());
    });

    it('refuses a handle that has the lock another one, which would wait for itself', async () => {
      const { client, lock, gone } = setUp();
      await within(lock.lock());
      const closing = client.close({ drainMs: 30_000 });
      expect(await within(failureOf(lock.lock()))).toBeInstanceOf(LockClientClosedError);
      await within(lock.unlock());
      await within(closing);
      await gone();
    });
  });

  describe('a lock left open', () => {
    it('at the end of its scope is reported as lost and as a leak, and not renewed, so that another process gets it', async () => {
      const { name, client, lock, stranger } = setUp(SHORT);
      const told: unknown[] = [];
      client.on('lost', (loss) => loss.name === name && told.push(`lost: ${loss.error.reason}`));
      client.on('leak', (leak) => leak.name === name && told.push(`leak: ${leak.how}`));
      await within(client.run(() => lock.lock()));
      expect(told).toEqual(['lost: scope-ended', 'leak: scope-ended']);
      await within((await within(stranger().acquire())).release());
    });
  });

  if (primitive.reenters)
    describe('re-entry', () => {
      it('is for calls inside the hold: it counts up and down, and others wait until the count is zero', async () => {
        const { client, lock, stranger } = setUp();
        const other = stranger();
        await within(
          client.run(async () => {
            await lock.lock();
            await lock.lock();
            expect(await lock.getHoldCount()).toBe(2);
            await lock.unlock();
            expect(await other.tryLock()).toBe(false);
            await lock.withLock(async () => expect(await lock.getHoldCount()).toBe(2));
            expect(await lock.getHoldCount()).toBe(1);
            await lock.unlock();
          }),
        );
        expect(await within(other.tryLock())).toBe(true);
        await within(other.unlock());
      });

      it('is for one branch of a section at a time', async () => {
        const { lock } = setUp();
        let inside = 0;
        let most = 0;
        const branch = () =>
          lock.withLock(async () => {
            most = Math.max(most, ++inside);
            await lock.getHoldCount();
            inside--;
          });
        await within(lock.withLock(() => Promise.all([branch(), branch(), branch()])));
        expect(most).toBe(1);
      });

      it('with a shorter lease leaves the outer hold the lease that it has', async () => {
        const { lock } = setUp();
        const outer = await within(lock.acquire({ leaseMs: 20_000 }));
        const inner = await within(outer.run(() => lock.acquire({ leaseMs: 1_000 })));
        await within(inner.release());
        expect(await within(lock.remainTimeToLive())).toBeGreaterThan(10_000);
        expect(outer.remainingMs()).toBeGreaterThan(10_000);
        await within(outer.release());
      });

      it('is not for a call outside of the scope', async () => {
        const { client, lock } = setUp();
        await within(
          lock.withLock(async () => {
            expect(await lock.tryLock()).toBe(true);
            await lock.unlock();
            expect(await client.exit(() => lock.tryLock())).toBe(false);
          }),
        );
      });

      it('is for every handle of one explicit owner', async () => {
        const { client, name } = setUp();
        const [one, same, another] = ['mine', 'mine', 'yours'].map((owner) => primitive.get(client, name, { owner }));
        await within((one as RLock).lock());
        expect(await within((another as RLock).tryLock())).toBe(false);
        expect(await within((same as RLock).tryLock())).toBe(true);
        await within((same as RLock).unlock());
        await within((one as RLock).unlock());
      });
    });

  if (primitive.lacks?.includes('inherited') !== true)
    inheritingContract(setUp, world, primitive.wakeup === 'none' ? 'redisson' : wakeup);
  keepingContract(primitive, setUp, world);

  describe('bad input', () => {
    it.each<[string, (lock: RLock) => Promise<unknown>]>([
      ['a negative wait', (lock) => lock.tryLock(-1)],
      ['a wait that is no number', (lock) => lock.tryLock('1' as never)],
      ['a lease of nothing', (lock) => lock.tryLock(0, 0)],
      ['a lease that never ends', (lock) => lock.lock(Number.POSITIVE_INFINITY)],
      ['an option that does not exist', (lock) => lock.acquire({ wait: 1 } as never)],
      ['a minimum beyond the lease', (lock) => lock.acquire({ leaseMs: 500, minHoldMs: 501 })],
      ['a minimum beyond the maximum', (lock) => lock.withLock({ maxHoldMs: 500, minHoldMs: 501 }, () => 1)],
      ['a minimum that is no time', (lock) => lock.tryWithLock({ minHoldMs: Number.NaN }, () => 1)],
      ['a signal that is none', (lock) => lock.acquire({ signal: {} as never })],
      ['a section without a function', (lock) => lock.withLock(undefined as never)],
    ])('is refused before anything is sent: %s', async (_what, call) => {
      const { lock, name } = setUp();
      const error = await failureOf(call(lock));
      expect(error instanceof TypeError || error instanceof RangeError).toBe(true);
      expect(await world.keysOf(name)).toEqual([]);
    });
  });
}
