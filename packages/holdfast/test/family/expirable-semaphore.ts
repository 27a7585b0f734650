import { afterEach, expect, it } from '@jest/globals';
import {
  type LockClient,
  type LockClientOptions,
  LockNotHeldError,
  LockTimeoutError,
  type RPermitExpirableSemaphore,
} from 'holdfast';
import { freshName } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';
import type { Wakeup, World } from './world.js';

const LEASE_MS = 60_000;
const SHORT_LEASE_MS = 300;
const PATIENT = { reaskMs: 40_000, claimLeaseMs: 70_000, watchdogTimeoutMs: 90_000 };

/** What a semaphore whose permits have ids does, in each world and each way of waking up. */
export function expirableSemaphoreContract(world: World, wakeup: Wakeup): void {
  const names: string[] = [];
  // Its counter stays until somebody deletes it.
  afterEach(async () => {
    for (const name of names.splice(0)) await world.deleteLock(name);
  });
  const setUp = (permits: number, settings: Partial<LockClientOptions> = {}) => {
    const name = freshName();
    names.push(name);
    const open = (): { client: LockClient; pool: RPermitExpirableSemaphore } => {
      const client = world.open({ wakeup, ...settings });
      return { client, pool: client.getPermitExpirableSemaphore(name, { permits }) };
    };
    return {
      name,
      open,
      waiting: (count: number) =>
        world.until(async () => (await world.waiters(name, wakeup)) === count, `${count} to wait for ${name}`),
      untouched: async (pool: RPermitExpirableSemaphore) => {
        await world.until(async () => (await world.keysOf(name)).join() === name, `nothing but ${name} to be left`);
        expect(await world.outcome(pool.availablePermits())).toBe(permits);
      },
    };
  };
  const within = <T>(call: Promise<T>) => world.outcome(call);

  it('gives each permit an id, which any process gives back, once', async () => {
    const { open, untouched } = setUp(3);
    const [one, two] = [open(), open()];
    const id = await within(one.pool.acquire(LEASE_MS));
    const more = await within(two.pool.acquireMany(2, LEASE_MS));
    expect(new Set([id, ...more]).size).toBe(3);
    expect(await within(one.pool.tryAcquire())).toBeNull();
    expect(await within(one.pool.tryAcquireMany(2))).toEqual([]);
    expect([await within(one.pool.acquiredPermits()), await within(one.pool.getPermits())]).toEqual([3, 3]);
    await within(two.pool.release(id));
    expect(await within(failureOf(one.pool.release(id)))).toBeInstanceOf(LockNotHeldError);
    expect(await within(one.pool.tryRelease(id))).toBe(false);
    expect(await within(one.pool.availablePermits())).toBe(1);
    await within(one.pool.release(more));
    await untouched(one.pool);
  });

  it('gives several back, or none where one of them stands for none', async () => {
    const { open, untouched } = setUp(3);
    const { pool } = open();
    const ids = await within(pool.acquireMany(3));
    expect(await within(pool.tryRelease([...ids, 'nobody:1']))).toBe(0);
    expect(await within(failureOf(pool.release([...ids, 'nobody:1'])))).toMatchObject({
      code: 'LOCK_NOT_HELD',
      message: expect.stringContaining('permit of semaphore'),
    });
    expect(await within(pool.availablePermits())).toBe(0);
    expect(await within(pool.tryRelease(ids))).toBe(3);
    await untouched(pool);
  });

  it('keeps permits whose process has gone, until their id is given back', async () => {
    const { open, untouched } = setUp(1);
    const [one, two] = [open(), open()];
    const id = await within(one.pool.acquire());
    await within(one.client.close());
    expect(await within(two.pool.getLeaseTime(id))).toBe('never');
    expect(await within(two.pool.availablePermits())).toBe(0);
    await within(two.pool.release(id));
    await untouched(two.pool);
  });

  it('gives a permit whose lease has ended to the first who waits, and not back', async () => {
    const { open, untouched } = setUp(1);
    const [one, two] = [open(), open()];
    const id = await within(one.pool.acquire(SHORT_LEASE_MS));
    const next = await within(two.pool.acquire(LEASE_MS));
    expect(await within(one.pool.tryRelease(id))).toBe(false);
    expect(await within(failureOf(one.pool.getLeaseTime(id)))).toBeInstanceOf(LockNotHeldError);
    expect(await within(one.pool.updateLeaseTime(id, LEASE_MS))).toBe(false);
    await within(one.pool.release(next));
    await untouched(one.pool);
  });

  it('sets the lease of each permit by itself, and wakes who waits when it has become shorter', async () => {
    // In line nobody gets in by asking again. Outside of it nobody is told, and who waits asks again.
    const { open, waiting, untouched } = setUp(2, wakeup === 'queue' ? PATIENT : {});
    const [one, two, setter] = [open(), open(), open()];
    // It hears from here on, so that it asks once.
    await within(two.client.connect());
    const [first = '', second = ''] = await within(one.pool.acquireMany(2, 'never'));
    expect(await within(two.pool.updateLeaseTime(second, LEASE_MS))).toBe(true);
    expect(await within(one.pool.getLeaseTime(second))).toBeGreaterThan(LEASE_MS / 2);
    expect(await within(one.pool.getLeaseTime(first))).toBe('never');
    const waiter = two.pool.acquire(LEASE_MS);
    await waiting(1);
    expect(await within(setter.pool.updateLeaseTime(second, SHORT_LEASE_MS))).toBe(true);
    // While it lives, it sees to the end of the lease.
    await within(setter.client.close());
    const third = await within(waiter);
    expect(await within(one.pool.tryRelease(second))).toBe(false);
    await within(one.pool.release([first, third]));
    await untouched(one.pool);
  });

  if (wakeup === 'queue')
    it('serves each in line when the lease that ends next has ended, whoever was first when its end was set', async () => {
      const { open, waiting, untouched } = setUp(2, PATIENT);
      const [one, two, three] = [open(), open(), open()];
      for (const { client } of [two, three]) await within(client.connect());
      const [first = '', second = ''] = await within(one.pool.acquireMany(2, LEASE_MS));
      const shortly = two.pool.acquire(SHORT_LEASE_MS);
      await waiting(1);
      const next = three.pool.acquire(LEASE_MS);
      await waiting(2);
      // Who gets this one has a lease that ends before that of the other, which is news for who is first now.
      await within(one.pool.release(first));
      await within(shortly);
      const third = await within(next);
      const calls = [two.pool.acquire(LEASE_MS)];
      await waiting(1);
      calls.push(three.pool.acquire(LEASE_MS));
      await waiting(2);
      expect(await within(one.pool.updateLeaseTime(second, SHORT_LEASE_MS))).toBe(true);
      expect(await within(one.pool.updateLeaseTime(third, 2 * SHORT_LEASE_MS))).toBe(true);
      const last = await within(Promise.all(calls));
      await within(one.pool.release(last));
      await untouched(one.pool);
    });

  it('shares its permits with the semaphore of that name, and can be made larger and smaller', async () => {
    const { open, name } = setUp(2);
    const { client, pool } = open();
    const hold = await within(client.getSemaphore(name, { permits: 2 }).acquire(1));
    const id = await within(pool.acquire(LEASE_MS));
    expect(await within(failureOf(pool.acquire(LEASE_MS, { waitMs: 20 })))).toBeInstanceOf(LockTimeoutError);
    await within(pool.setPermits(1));
    expect(await within(pool.availablePermits())).toBe(-1);
    await within(pool.addPermits(2));
    await within(hold.release());
    await within(pool.release(id));
    expect([await within(pool.getPermits()), await within(pool.trySetPermits(5))]).toEqual([3, false]);
  });

  it('makes a hold of a permit that another process acquired, whatever was left of its lease, and its id stands for nothing then', async () => {
    const { open, untouched } = setUp(1, { watchdogTimeoutMs: LEASE_MS });
    const [one, two] = [open(), open()];
    const id = await within(one.pool.acquire(LEASE_MS / 2));
    const hold = await within(two.pool.adopt(id));
    expect(hold).toMatchObject({ permits: 1, state: 'held' });
    expect(hold.remainingMs()).toBeGreaterThan(LEASE_MS / 2);
    expect(await within(one.pool.updateLeaseTime(id, LEASE_MS))).toBe(false);
    expect(await within(one.pool.tryRelease(id))).toBe(false);
    expect(await within(one.pool.acquiredPermits())).toBe(1);
    await within(hold.release());
    await untouched(one.pool);
  });

  it('lets one of several adopt a permit, and all or none of several permits', async () => {
    const { open, untouched } = setUp(3);
    const pools = Array.from({ length: 4 }, () => open().pool);
    const [pool] = pools as [RPermitExpirableSemaphore];
    const ids = await within(pool.acquireMany(3, LEASE_MS));
    expect(await within(failureOf(pool.adopt([...ids, 'nobody:1'])))).toMatchObject({ code: 'LOCK_NOT_HELD' });
    const outcomes = await within(Promise.allSettled(pools.map((each) => each.adopt(ids))));
    const had = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
    expect(had).toHaveLength(1);
    expect(had[0]?.permits).toBe(3);
    await within(had[0]?.release(1) as Promise<void>);
    expect(await within(pool.availablePermits())).toBe(1);
    await within(had[0]?.release() as Promise<void>);
    await untouched(pool);
  });

  it('lets a permit be adopted while others wait, who have it when its process has gone', async () => {
    const { open, waiting, untouched } = setUp(1);
    const [one, two, three] = [open(), open(), open()];
    const id = await within(one.pool.acquire('never'));
    const waiter = three.pool.acquire(LEASE_MS);
    const besideIt = failureOf(two.pool.acquire(LEASE_MS));
    await waiting(2);
    const hold = await within(two.pool.adopt(id, { leaseMs: 'never' }));
    await within(hold.extend(LEASE_MS));
    await within(two.client.close());
    expect(await besideIt).toMatchObject({ code: 'LOCK_CLIENT_CLOSED' });
    expect(hold.state).not.toBe('held');
    await within(one.pool.release(await within(waiter)));
    await untouched(one.pool);
  });

  it('refuses what cannot be meant before anything is sent', async () => {
    const { open } = setUp(2);
    const { client, pool } = open();
    const wrong: (() => Promise<unknown>)[] = [
      () => pool.acquire(0),
      () => pool.acquire('always' as never),
      () => pool.acquireMany(3),
      () => pool.acquireMany(0),
      () => pool.acquire(LEASE_MS, { wait: 1 } as never),
      () => pool.tryAcquire(-1),
      () => pool.release(''),
      () => pool.release([]),
      () => pool.release(['a:1', 'a:1']),
      () => pool.release('two words:1'),
      () => pool.tryRelease(7 as never),
      () => pool.adopt('one'),
      () => pool.adopt([]),
      () => pool.adopt(['a:1', 'a:1']),
      () => pool.adopt('a:1', { waitMs: 5 } as never),
      () => pool.adopt('a:1', { leaseMs: 'never', maxHoldMs: 1_000 }),
      () => pool.updateLeaseTime('a:1', 1),
    ];
    for (const call of wrong) expect(String(await failureOf(call()))).toMatch(/^(TypeError|RangeError)/);
    expect(() => client.getPermitExpirableSemaphore('x', { permits: 0 })).toThrow(RangeError);
  });
}
