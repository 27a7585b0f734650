/** What semaphores and latches do is counted as what locks do, each thing once. */
import { useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { LockClient } from 'holdfast';
import { freshName, openClient } from '../support/clients.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis();

/** What is counted and does not depend on how fast the machine is. */
function counted(client: LockClient) {
  const { acquisitions, waits, holds, handoffs, reentries, losses, limited, waiting, held } = client.stats();
  const { tried, won, refused, failed } = acquisitions;
  return {
    ...{ tried, won, refused, failed, waits: waits.count, holds: holds.count },
    ...{ ...handoffs, reentries, losses, limited, waiting, held },
  };
}

const nothing = {
  ...{ tried: 0, won: 0, refused: 0, failed: 0, waits: 0, holds: 0 },
  ...{ local: 0, passed: 0, granted: 0, reentries: 0, losses: {}, limited: {}, waiting: 0, held: 0 },
};

function pool(permits: number) {
  const name = freshName();
  kit.cleanup(() => kit.admin.del(name));
  const client = openClient(kit, { limits: { waiters: 1 } });
  return { name, client, semaphore: client.getSemaphore(name, { permits }) };
}

describe('of a semaphore', () => {
  it('each call counts once, however many permits it takes and in however many parts they come back', async () => {
    const { client, semaphore } = pool(3);
    const hold = await semaphore.acquire(3);
    expect(counted(client)).toEqual({ ...nothing, tried: 1, won: 1, waits: 1, held: 1 });
    await hold.release(1);
    await hold.release(1);
    expect(counted(client)).toMatchObject({ held: 1, holds: 0 });
    await hold.release();
    expect(counted(client)).toEqual({ ...nothing, tried: 1, won: 1, waits: 1, holds: 1 });
    await semaphore.withPermits({ permits: 2 }, () => expect(client.stats().held).toBe(1));
    await semaphore.availablePermits();
    await semaphore.inspect();
    await semaphore.addPermits(1);
    expect(counted(client)).toEqual({ ...nothing, tried: 2, won: 2, waits: 2, holds: 2 });
  });

  it('who waits is in a gauge, who is turned away, gives up or is above a limit in its counter', async () => {
    const { name, client, semaphore } = pool(1);
    const hold = await openClient(kit).getSemaphore(name, { permits: 1 }).acquire();
    const waiting = semaphore.acquire();
    await waitUntil(async () => (await semaphore.inspect()).queue.length === 1, { what: 'it waits' });
    expect(counted(client)).toEqual({ ...nothing, tried: 1, waiting: 1 });
    expect(await failureOf(semaphore.acquire())).toMatchObject({ code: 'LOCK_LIMIT' });
    expect(counted(client)).toEqual({ ...nothing, tried: 2, failed: 1, limited: { waiters: 1 }, waiting: 1 });
    await hold.release();
    await (await waiting).release();
    const other = await openClient(kit).getSemaphore(name).acquire();
    expect(await semaphore.tryAcquire()).toBeNull();
    // By message, unless its inbox was still opening when it was its turn.
    expect(counted(client)).toEqual({
      ...{ ...nothing, tried: 3, won: 1, refused: 1, failed: 1, limited: { waiters: 1 } },
      ...{ waits: 1, holds: 1, granted: expect.any(Number) },
    });
    await other.release();
  });

  it('a loss counts once, by its reason, and its release no more', async () => {
    const { client, semaphore } = pool(2);
    const hold = await semaphore.acquire(2, { leaseMs: 100 });
    const lost = new Promise((resolve) => {
      hold.signal.addEventListener('abort', resolve);
    });
    await lost;
    expect(await failureOf(hold.release())).toMatchObject({ code: 'LOCK_LOST' });
    expect(counted(client)).toMatchObject({ won: 1, losses: { expired: 1 }, held: 0, waiting: 0 });
  });

  it('permits with ids count as one acquisition, which is over when the ids are issued', async () => {
    const { name, client } = pool(2);
    const expirable = client.getPermitExpirableSemaphore(name, { permits: 2 });
    const ids = await expirable.tryAcquireMany(2, 1_000, 60_000);
    expect(counted(client)).toEqual({ ...nothing, tried: 1, won: 1, waits: 1, holds: 1 });
    await expirable.tryRelease(ids);
    expect(counted(client)).toEqual({ ...nothing, tried: 1, won: 1, waits: 1, holds: 1 });
  });

  it('a permit that is adopted counts as acquired, and one whose id stands for none as refused', async () => {
    const { name, client } = pool(1);
    const expirable = client.getPermitExpirableSemaphore(name, { permits: 1 });
    const id = await expirable.acquire(60_000);
    const before = { tried: 1, won: 1, waits: 1, holds: 1 };
    const hold = await expirable.adopt(id);
    expect(counted(client)).toEqual({ ...nothing, ...before, tried: 2, won: 2, waits: 2, held: 1 });
    await failureOf(expirable.adopt(id));
    await hold.release();
    expect(counted(client)).toEqual({ ...nothing, tried: 3, won: 2, waits: 2, holds: 2, refused: 1 });
  });
});

describe('of a latch', () => {
  it('who waits is in the gauge, and no acquisition', async () => {
    const client = openClient(kit, { limits: { waiters: 1 } });
    const latch = client.getCountDownLatch(freshName());
    await latch.trySetCount(1);
    const waiting = latch.await();
    expect(counted(client)).toEqual({ ...nothing, waiting: 1 });
    expect(await failureOf(latch.await())).toMatchObject({ code: 'LOCK_LIMIT' });
    expect(counted(client)).toEqual({ ...nothing, waiting: 1, limited: { waiters: 1 } });
    await latch.countDown();
    expect(await waiting).toBe(true);
    expect(counted(client)).toEqual({ ...nothing, limited: { waiters: 1 } });
  });
});
