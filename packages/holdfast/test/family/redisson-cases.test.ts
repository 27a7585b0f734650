/**
 * Cases of Redisson's own tests that no other test of ours says in the same words. Which case is which test: `docs/redisson-tests.md`. Two clients
 * stand for two threads, or two instances, of theirs; time is driven. Those of the read-write lock: `redisson-read-write-cases.test.ts`; of
 * permits with ids: `redisson-permit-cases.test.ts`.
 */
import { describe, expect, it } from '@jest/globals';
import { type LockClient, LockNotHeldError } from 'holdfast';
import { freshName } from '../support/clients.js';
import { processes, watched } from './driven-processes.js';
import { exclusivePrimitives } from './primitive.js';

describe.each(exclusivePrimitives)('$factory', (primitive) => {
  const get = (client: LockClient, name: string) => primitive.get(client, name);

  it('three holds of ten seconds, two of them given back, leave a lease of ten seconds', async () => {
    const { server, first } = processes(1);
    const lock = get(first, freshName());
    await first.run(async () => {
      for (let level = 0; level < 3; level++) await lock.lock(10_000);
      await server.advance(500);
      await lock.unlock();
      await lock.unlock();
      expect(await lock.remainTimeToLive()).toBe(9_500);
      await lock.unlock();
    });
  });

  it('a lease of an hour, that of the watchdog, and none', async () => {
    const { server, first } = processes(1, { watchdogTimeoutMs: 30_000 });
    const lock = get(first, freshName());
    await lock.lock(3_600_000);
    await server.advance(5_000);
    expect(await lock.remainTimeToLive()).toBe(3_595_000);
    await lock.unlock();
    expect(await lock.remainTimeToLive()).toBe(-2);
    await lock.lock();
    expect(await lock.remainTimeToLive()).toBe(30_000);
    await lock.unlock();
  });

  it('tells its owner of its holds, and everybody whether it is held; nobody else can give it back', async () => {
    const { first, second } = processes(2);
    const name = freshName();
    const [lock, other] = [get(first, name), get(second, name)];
    const told = async () => ({
      held: [await lock.isHeldByCurrentScope(), await other.isHeldByCurrentScope()],
      counts: [await lock.getHoldCount(), await other.getHoldCount()],
      locked: [await lock.isLocked(), await other.isLocked()],
    });
    const of = (count: number) => ({
      held: [count > 0, false],
      counts: [count, 0],
      locked: [count > 0, count > 0],
    });
    await first.run(async () => {
      expect(await told()).toEqual(of(0));
      await lock.lock();
      expect(await told()).toEqual(of(1));
      await lock.lock();
      expect(await told()).toEqual(of(2));
      await expect(other.unlock()).rejects.toBeInstanceOf(LockNotHeldError);
      expect(await other.tryLock()).toBe(false);
      await lock.unlock();
      expect(await told()).toEqual(of(1));
      expect(await other.tryLock()).toBe(false);
      await lock.unlock();
      expect(await told()).toEqual(of(0));
    });
    expect(await other.tryLock()).toBe(true);
    await other.unlock();
  });

  it('taken by force is free for another handle, and only once', async () => {
    const { first, second } = processes(2);
    const name = freshName();
    await get(first, name).lock();
    expect(await get(second, name).forceUnlock()).toBe(true);
    expect(await get(second, name).isLocked()).toBe(false);
    expect(await get(second, name).forceUnlock()).toBe(false);
  });

  it('is had by one of ten that try at once, for a lease that nobody waits for', async () => {
    const { server, clients } = processes(10);
    const name = freshName();
    const tries = await Promise.all(clients.map((client) => get(client, name).tryLock(0, 10_000)));
    expect(tries.filter(Boolean)).toHaveLength(1);
    await server.advance(10_000);
    expect(await get(clients[0] as LockClient, name).isLocked()).toBe(false);
  });
});

describe('a fair lock', () => {
  it('of holders that never give it back goes on in the order of arrival, a lease each', async () => {
    const { server, clients } = processes(8);
    const order: number[] = [];
    for (const [index, client] of clients.entries()) {
      void client
        .getFairLock('fair')
        .acquire({ waitMs: 10_000, leaseMs: 1_000 })
        .then(() => order.push(index));
      await server.advance(1);
    }
    await server.advance(9_000);
    expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  });

  it('serves 500 calls that wait', async () => {
    const { server, clients } = processes(5);
    const all = Promise.all(
      Array.from({ length: 500 }, (_, i) => (clients[i % 5] as LockClient).getFairLock('fair').withLock(() => i)),
    );
    const seen = watched(all.then((served) => served.length));
    for (let ms = 0; seen.outcome === 'waiting' && ms < 60_000; ms += 100) await server.advance(100);
    expect(seen.outcome).toBe(500);
  });

  it('leaves no place behind for a call that waited 200 ms in vain', async () => {
    const { server, first, second } = processes(2);
    const hold = await first.getFairLock('fair').acquire();
    const tried = watched(second.getFairLock('fair').tryLock(200));
    await server.advance(200);
    expect(tried.outcome).toBe(false);
    expect((await first.inspect('fair')).queue).toEqual([]);
    await hold.release();
    expect(await first.getFairLock('fair').tryLock()).toBe(true);
  });
});

describe('a semaphore', () => {
  const pool = (client: LockClient) => client.getSemaphore('pool');

  it('a call for two waits until two are there', async () => {
    const { server, first, second } = processes(2);
    await pool(first).trySetPermits(0);
    const waiting = watched(
      pool(second)
        .acquire(2)
        .then(({ permits }) => permits),
    );
    await pool(first).addPermits(1);
    await server.advance(5_000);
    expect(waiting.outcome).toBe('waiting');
    await pool(first).addPermits(1);
    await server.advance(10);
    expect(waiting.outcome).toBe(2);
  });

  it('has its permits for as long as it was set for', async () => {
    const { server, first } = processes(1);
    expect(await pool(first).trySetPermits(10, 10_000)).toBe(true);
    expect(await pool(first).trySetPermits(15)).toBe(false);
    expect(await pool(first).availablePermits()).toBe(10);
    await server.advance(10_001);
    expect(await pool(first).availablePermits()).toBe(0);
    expect(await pool(first).trySetPermits(15)).toBe(true);
  });

  it('is reduced below what is in use, and has none to give until enough have come back', async () => {
    const { first } = processes(1);
    await pool(first).trySetPermits(2);
    const hold = await pool(first).acquire(2);
    await pool(first).addPermits(-1);
    expect(await pool(first).availablePermits()).toBe(-1);
    await hold.release(1);
    expect(await pool(first).tryAcquire()).toBeNull();
    await hold.release();
    expect(await pool(first).availablePermits()).toBe(1);
  });

  it('of 2,147,483,647 permits gives them all out and takes them all back', async () => {
    const { first } = processes(1);
    const all = 2_147_483_647;
    await pool(first).trySetPermits(all);
    const hold = await pool(first).acquire(all);
    expect(await pool(first).tryAcquire()).toBeNull();
    await hold.release();
    expect(await pool(first).availablePermits()).toBe(all);
  });

  it('that nobody has set refuses to give back what was not taken', async () => {
    const { first } = processes(1);
    await expect(pool(first).release()).rejects.toBeInstanceOf(LockNotHeldError);
    expect(await pool(first).availablePermits()).toBe(0);
  });
});
