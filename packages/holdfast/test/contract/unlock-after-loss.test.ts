import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient, RLock } from 'holdfast';
import { createTestClient } from 'holdfast/testing';
import { freshName, holdsInRedis, openClient } from '../support/clients.js';

const kit = useRedis();

/** Runs `work`, which takes what a short lease is about to end, and waits for that end. */
async function untilLost(client: LockClient, work: () => Promise<unknown>): Promise<void> {
  const before = client.stats().losses.expired ?? 0;
  await work();
  await waitUntil(() => (client.stats().losses.expired ?? 0) > before, { what: 'the lease has run out' });
}

describe('a lease that ran out without unlock(), outside scopes', () => {
  it('needs none: the next unlock() gives back what was taken next', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    // It waits: a lease is over here a little before it is in Redis.
    for (let i = 0; i < 3; i++) await untilLost(client, () => lock.tryLock(5_000, 100));
    expect(await lock.tryLock(1_000)).toBe(true);
    expect(await lock.isHeldByCurrentScope()).toBe(true);
    await lock.unlock();
    expect(await holdsInRedis(kit, lock.name)).toBe(0);
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
  });

  it('is told by unlock(), once, until the handle has the lock again', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    await untilLost(client, () => lock.tryLock(5_000, 100));
    const stranger = await openClient(kit).getLock(lock.name).acquire();
    expect(await lock.tryLock()).toBe(false);
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_NOT_HELD' });
    await stranger.release();
  });

  it('costs a flow that was waiting for the handle by then nothing: the late unlock() is told of the loss', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    await lock.lock(150);
    await lock.lock();
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'expired' });
    expect(await holdsInRedis(kit, lock.name)).toBe(1);
    await lock.unlock();
    expect(await holdsInRedis(kit, lock.name)).toBe(0);
  });

  it.each([
    ['nothing', 10_000],
    ['no more than a hundred for each handle, where it was taken away and would have been renewed,', undefined],
  ])(
    'leaves %s behind, however many there were',
    async (_, leaseMs) => {
      const client = openClient(kit);
      const locks = Array.from({ length: 6 }, () => client.getLock(freshName()));
      // Taken away instead of run out, which is quicker.
      const loseAll = (times: number) =>
        Promise.all(
          locks.map(async (lock) => {
            for (let i = 0; i < times; i++) await lock.lock({ leaseMs }).then(() => lock.forceUnlock());
          }),
        );
      const heap = () => {
        (globalThis as { gc?: () => void }).gc?.();
        return process.memoryUsage().heapUsed;
      };
      await loseAll(100);
      // What stays is left by every round; what the engine of JavaScript needs for itself is not.
      let least = Infinity;
      for (let round = 0; round < 6 && least >= 200; round++) {
        const before = heap();
        await loseAll(100);
        least = Math.min(least, (heap() - before) / (locks.length * 100));
      }
      expect(least).toBeLessThan(200);
    },
    90_000,
  );
});

describe('a lock that was to be renewed and was lost, outside scopes', () => {
  it('costs a later flow of the handle nothing: the late unlock() is told of the loss', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName());
    await lock.lock();
    await client.getLock(lock.name).forceUnlock();
    await lock.lock();
    await expect(lock.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
    expect(await openClient(kit).getLock(lock.name).tryLock()).toBe(false);
    await lock.unlock();
    expect(await holdsInRedis(kit, lock.name)).toBe(0);
  });
});

describe('an explicit owner that has lost the lock', () => {
  const lost = { code: 'LOCK_LOST', reason: 'expired' };
  const unheld = { code: 'LOCK_NOT_HELD' };

  it('is told by unlock(), once for each lock(), through whatever handle', async () => {
    const client = createTestClient();
    const name = freshName();
    const mine = (): RLock => client.getLock(name, { owner: 'me' });
    // In driven time: the second call must come before the lease is over, however busy the machine is.
    await mine().lock(150);
    await mine().lock(150);
    await client.advance(150);
    await expect(client.getLock(name, { owner: 'you' }).unlock()).rejects.toMatchObject(unheld);
    await expect(mine().unlock()).rejects.toMatchObject(lost);
    await expect(mine().unlock()).rejects.toMatchObject(lost);
    await expect(mine().unlock()).rejects.toMatchObject(unheld);
    await client.close();
  });

  it('and has it again unlocks what it has', async () => {
    const client = openClient(kit);
    const lock = client.getLock(freshName(), { owner: 'me' });
    await untilLost(client, () => lock.lock(100));
    await lock.lock();
    await lock.unlock();
    expect(await holdsInRedis(kit, lock.name)).toBe(0);
    await expect(lock.unlock()).rejects.toMatchObject(unheld);
  });

  it('is remembered among a thousand others, and no more than that', async () => {
    // In memory: two thousand round trips take as long as a busy machine likes.
    const client = createTestClient();
    const owners = Array.from({ length: 1_010 }, (_, i) => client.getLock(freshName(), { owner: `owner-${i}` }));
    await Promise.all(owners.map((lock) => lock.lock()));
    for (const lock of owners) await lock.forceUnlock();
    await expect(owners[0]?.unlock()).rejects.toMatchObject(unheld);
    await expect(owners.at(-1)?.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
    await expect(owners[100]?.unlock()).rejects.toMatchObject({ code: 'LOCK_LOST' });
    await client.close();
  });
});
