import { AsyncResource } from 'node:async_hooks';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { useRedis } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import { freshName, openClient } from '../support/clients.js';
import { stall } from '../support/stall.js';
import { Gate } from '../support/room.js';

const kit = useRedis();
/** Long enough for two calls on a busy machine. */
const LEASE_MS = 700;

describe('a listener that calls the lock again', () => {
  it('while a call finds out about the loss does not come between that call and the lock', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    const [entered, leave] = [new Gate(), new Gate()];
    const refused: Promise<unknown>[] = [];
    const section = lock.withLock({ leaseMs: LEASE_MS }, ({ signal }) => {
      // Refused at once, since it is made inside the lost hold: for a moment nobody seems to want the lock.
      const retry = () => refused.push(lock.acquire().catch((error: unknown) => error));
      signal.addEventListener('abort', AsyncResource.bind(retry));
      entered.open();
      return leave.opened;
    });
    section.catch(leave.open);
    await entered.opened;
    stall(LEASE_MS);
    const nested = lock.withLock(() => lock.tryWithLock({}, () => 'inside'));
    expect(await nested).toEqual({ ran: true, value: 'inside' });
    expect(await Promise.all(refused)).toMatchObject([{ code: 'LOCK_LOST' }]);
    leave.open();
    // A fixed lease, or a machine that stood still for longer than that.
    await expect(section).rejects.toMatchObject({
      code: 'LOCK_LOST',
      reason: expect.stringMatching(/^(expired|clock)$/),
    });
  });

  it('on a diagnostics channel finds every level of the lost lock lost, and every signal aborted', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    const outer = await lock.acquire({ leaseMs: LEASE_MS });
    const inner = await outer.run(() => lock.acquire({ leaseMs: LEASE_MS }));
    const seen: unknown[] = [];
    const look = () => seen.push(...[outer, inner].map(({ state, signal }) => [state, signal.aborted]));
    const signals = [outer.signal, inner.signal];
    for (const signal of signals) signal.addEventListener('abort', look);
    client.on('lost', look);
    subscribe('holdfast:lost', look);
    stall(LEASE_MS);
    expect(outer.state).toBe('lost');
    unsubscribe('holdfast:lost', look);
    expect(seen).toHaveLength(2 * (2 + 2 + 2));
    expect(new Set(seen.map(String))).toEqual(new Set(['lost,true']));
  });

  it('and gives back another level of the lost lock is told of the loss', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    const outer = await lock.acquire({ leaseMs: LEASE_MS });
    const inner = await outer.run(() => lock.acquire({ leaseMs: LEASE_MS }));
    const released: Promise<unknown>[] = [];
    const release = () => released.push(inner.release().catch((error: unknown) => error));
    outer.signal.addEventListener('abort', release);
    stall(LEASE_MS);
    expect(outer.state).toBe('lost');
    expect(await Promise.all(released)).toMatchObject([{ code: 'LOCK_LOST', reason: 'expired' }]);
    expect(await inner.release()).toBeUndefined();
  });
});

describe('a call that finds the last hold of its process lost', () => {
  it.each(['getLock', 'getFairLock', 'getFencedLock'] as const)('%s: has the lock for calls inside it', async (get) => {
    const client = openClient(kit);
    const lock = client[get](freshName());
    const lost = await lock.acquire({ leaseMs: LEASE_MS });
    stall(LEASE_MS);
    const hold = await lock.acquire();
    expect(lost.state).toBe('lost');
    const inside = await hold.run(() => lock.tryAcquire());
    expect(inside?.state).toBe('held');
  });

  it('a read-write lock: has it for calls inside it', async () => {
    const client = openClient(kit);
    const both = client.getReadWriteLock(freshName());
    const lost = await both.writeLock().acquire({ leaseMs: LEASE_MS });
    stall(LEASE_MS);
    const hold = await both.writeLock().acquire();
    expect(lost.state).toBe('lost');
    const inside = await hold.run(() => both.readLock().tryAcquire());
    expect(inside?.state).toBe('held');
  });
});
