/** Cases of Redisson's own tests of permits with ids: see `redisson-cases.test.ts`. */
import { describe, expect, it } from '@jest/globals';
import { type LockClient, LockNotHeldError } from 'holdfast';
import { processes, watched } from './driven-processes.js';

const pool = (client: LockClient) => client.getPermitExpirableSemaphore('pool');
const countsOf = async (client: LockClient) => ({
  all: await pool(client).getPermits(),
  free: await pool(client).availablePermits(),
  used: await pool(client).acquiredPermits(),
});

describe('a semaphore whose permits have ids', () => {
  it('that nobody has set has no permits, and knows no id', async () => {
    const { first } = processes(1);
    expect(await countsOf(first)).toEqual({ all: 0, free: 0, used: 0 });
    await expect(pool(first).release('nobody:1')).rejects.toBeInstanceOf(LockNotHeldError);
    expect(await pool(first).updateLeaseTime('nobody:1', 1_000)).toBe(false);
  });

  it('is set once, and is made larger and smaller, below what is in use too', async () => {
    const { first } = processes(1);
    expect(await pool(first).trySetPermits(10)).toBe(true);
    expect(await pool(first).trySetPermits(15)).toBe(false);
    await pool(first).addPermits(5);
    expect(await countsOf(first)).toEqual({ all: 15, free: 15, used: 0 });
    await pool(first).addPermits(-10);
    await pool(first).acquireMany(3);
    expect(await countsOf(first)).toEqual({ all: 5, free: 2, used: 3 });
    await pool(first).setPermits(3);
    expect(await countsOf(first)).toEqual({ all: 3, free: 0, used: 3 });
    await pool(first).setPermits(2);
    expect(await countsOf(first)).toEqual({ all: 2, free: -1, used: 3 });
  });

  it('gives a permit that comes back to who waits for it, with a deadline and without', async () => {
    const { server, first, second } = processes(2);
    await pool(first).trySetPermits(1);
    const id = await pool(first).acquire();
    const waiting = watched(pool(second).acquire());
    await server.advance(1_000);
    expect(waiting.outcome).toBe('waiting');
    await pool(first).release(id);
    await server.advance(10);
    expect(waiting.outcome).not.toBe('waiting');
    const trying = watched(pool(first).tryAcquire(1_000));
    await server.advance(500);
    expect(trying.outcome).toBe('waiting');
    await pool(first).release(waiting.outcome);
    await server.advance(10);
    expect(await pool(second).tryAcquire()).toBeNull();
    expect(await pool(second).tryRelease(String(trying.outcome))).toBe(true);
  });

  it('takes several back in parts, and none of them a second time', async () => {
    const { first } = processes(1);
    await pool(first).trySetPermits(10);
    const ids = await pool(first).acquireMany(6);
    expect(await pool(first).availablePermits()).toBe(4);
    await pool(first).release(ids.slice(0, 4));
    expect(await pool(first).tryRelease(ids)).toBe(0);
    expect(await pool(first).availablePermits()).toBe(8);
    expect(await pool(first).tryRelease(ids.slice(4))).toBe(2);
    await expect(pool(first).release(ids)).rejects.toBeInstanceOf(LockNotHeldError);
    expect(await pool(first).availablePermits()).toBe(10);
  });

  it('counts permits as free as soon as their leases have ended, and takes back those without', async () => {
    const { server, first } = processes(1);
    await pool(first).trySetPermits(10);
    const short = await pool(first).tryAcquireMany(3, 0, 100);
    const endless = await pool(first).tryAcquireMany(3);
    expect(await countsOf(first)).toEqual({ all: 10, free: 4, used: 6 });
    await server.advance(101);
    expect(await countsOf(first)).toEqual({ all: 10, free: 7, used: 3 });
    await pool(first).acquire(100);
    expect(await countsOf(first)).toEqual({ all: 10, free: 6, used: 4 });
    await server.advance(101);
    expect(await countsOf(first)).toEqual({ all: 10, free: 7, used: 3 });
    expect(await pool(first).tryRelease(endless)).toBe(3);
    expect(await pool(first).tryRelease(short)).toBe(0);
    await expect(pool(first).release(short)).rejects.toBeInstanceOf(LockNotHeldError);
    expect(await countsOf(first)).toEqual({ all: 10, free: 10, used: 0 });
  });

  it('has a permit for as long as its lease was set anew, and not longer', async () => {
    const { server, first } = processes(1);
    await pool(first).trySetPermits(1);
    const id = await pool(first).acquire(1_000);
    await server.advance(900);
    expect(await pool(first).updateLeaseTime(id, 3_000)).toBe(true);
    await server.advance(2_900);
    expect([await pool(first).availablePermits(), await pool(first).getLeaseTime(id)]).toEqual([0, 100]);
    await server.advance(101);
    expect(await pool(first).availablePermits()).toBe(1);
    expect(await pool(first).updateLeaseTime(id, 2_000)).toBe(false);
    await expect(pool(first).getLeaseTime(id)).rejects.toBeInstanceOf(LockNotHeldError);
  });

  it('that was set for a time is gone after it, with the permits that are in use', async () => {
    const { server, first } = processes(1);
    await pool(first).trySetPermits(1, 3_000);
    const id = await pool(first).acquire();
    expect(await pool(first).getLeaseTime(id)).toBe(3_000);
    await server.advance(3_001);
    expect(await countsOf(first)).toEqual({ all: 0, free: 0, used: 0 });
    expect(await pool(first).tryRelease(id)).toBe(false);
  });

  it.each([
    { wanted: 1, permits: 1 },
    { wanted: 2, permits: 5 },
  ])('of $permits serves 160 calls for $wanted of 16 processes, and never has more in use', async (load) => {
    const { server, clients, first } = processes(16);
    await pool(first).trySetPermits(load.permits);
    let [inUse, most] = [0, 0];
    const section = async (client: LockClient) => {
      const ids = await pool(client).acquireMany(load.wanted);
      most = Math.max(most, (inUse += ids.length));
      await pool(client).availablePermits();
      inUse -= ids.length;
      await pool(client).release(ids);
    };
    const all = watched(Promise.all(Array.from({ length: 160 }, (_, i) => section(clients[i % 16] as LockClient))));
    for (let ms = 0; all.outcome === 'waiting' && ms < 60_000; ms += 100) await server.advance(100);
    expect(all.outcome).toHaveLength(160);
    expect(most).toBe(load.permits - (load.permits % load.wanted));
    expect(await countsOf(first)).toEqual({ all: load.permits, free: load.permits, used: 0 });
  });
});
