import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { describe, expect, it } from '@jest/globals';
import type { Hold } from 'holdfast';
import { openFaulty } from '../support/faulty.js';
import { failureOf } from '../support/outcomes.js';

const kit = useRedis(startPrivateRedis);
const setUp = () => openFaulty(kit, { watchdogTimeoutMs: 30_000 });

const ignore = (): void => undefined;

describe('withLock rejects with LockLostError over a lost lease, whatever was caught inside', () => {
  it('when a listener has released the hold and caught its error', async () => {
    const { lock } = await setUp();
    const section = lock.withLock(async (hold) => {
      hold.signal.addEventListener('abort', () => void hold.release().catch(ignore));
      await lock.forceUnlock();
    });
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'force-unlocked' });
  });

  const releases: [when: string, release: (hold: Hold) => unknown][] = [
    ['was awaited', (hold) => hold.release().catch(ignore)],
    ['is under way', (hold) => void hold.release().catch(ignore)],
    ['was made twice', async (hold) => Promise.allSettled([hold.release(), hold.release()])],
  ];
  it.each(releases)('when a release that finds the loss %s', async (_, release) => {
    const { name, lock } = await setUp();
    const section = lock.withLock(async (hold) => {
      await kit.admin.del(name);
      await release(hold);
      return 'done';
    });
    await expect(section).rejects.toMatchObject({ code: 'LOCK_LOST', reason: 'deleted' });
  });

  it('as cause of the error that the function fails with', async () => {
    const { lock } = await setUp();
    const failure = new Error('work failed');
    const section = lock.withLock(async (hold) => {
      await lock.forceUnlock();
      await hold.release().catch(ignore);
      throw failure;
    });
    await expect(section).rejects.toBe(failure);
    expect(failure.cause).toMatchObject({ code: 'LOCK_LOST' });
  });

  it('but resolves over a hold that was released early and in time', async () => {
    const { lock } = await setUp();
    expect(await lock.withLock((hold) => hold.release())).toBeUndefined();
    await lock.withLock(async (hold) => {
      await hold.release();
      await lock.forceUnlock();
    });
  });
});

describe('hold.run', () => {
  it('throws after the release, and runs nothing', async () => {
    const { lock } = await setUp();
    const hold = await lock.acquire();
    await hold.release();
    let ran = false;
    const run = () => hold.run(() => (ran = true));
    expect(run).toThrow(expect.objectContaining({ code: 'LOCK_NOT_HELD' }));
    expect(ran).toBe(false);
  });

  it('throws after a loss, and runs nothing', async () => {
    const { name, lock } = await setUp();
    const hold = await lock.acquire();
    await lock.forceUnlock();
    await waitUntil(() => hold.state === 'lost', { what: 'the loss' });
    let ran = false;
    const run = () => hold.run(async () => (ran = true));
    expect(run).toThrow(expect.objectContaining({ code: 'LOCK_LOST', lockName: name }));
    expect(ran).toBe(false);
    await failureOf(hold.release());
  });
});
