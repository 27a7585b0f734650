import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { allowedName, openAs, quick, Round, unhurried } from '../support/access-round.js';
import { createUser, documentedGrants, type Grant, refusedTo } from '../support/acl-rules.js';

const kit = useRedis(startPrivateRedis);
const user = 'limited';

beforeEach(async () => {
  await kit.admin.acl('LOG', 'RESET');
  kit.cleanup(async () => {
    await kit.admin.acl('DELUSER', user);
    // The counter of a semaphore stays.
    await kit.admin.flushall();
  });
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(() => {
  jest.restoreAllMocks();
});

/** Two processes share a pool, of which the second may do everything. One waits behind a large request, gives some back, and sizes it. */
async function round(times: typeof quick): Promise<Round> {
  const done = new Round();
  const name = allowedName();
  const [ours, theirs] = [openAs(kit, user, times), openAs(kit, 'default', times)];
  const [mine, other] = [ours.getSemaphore(name, { permits: 3 }), theirs.getSemaphore(name, { permits: 3 })];
  const first = await done.call('acquire, begin', mine.acquire(2, { waitMs: 2_000 }));
  const beside = await other.acquire(1);
  const large = other.acquire(3);
  await waitUntil(async () => (await kit.admin.zcard(`holdfast_sem_queue:{${name}}`)) === 1, { what: 'one waits' });
  await done.call('wait behind a large request', mine.tryAcquire(1, 100));
  if (first !== undefined) {
    await done.call('give some back', first.release(1));
    await done.call('give the rest back', first.release());
  }
  await beside.release();
  const all = await large;
  const waiting = done.call('wait', mine.acquire(1, { waitMs: 1_000 }));
  const waits = async () => (await kit.admin.zcard(`holdfast_sem_queue:{${name}}`)) > 0;
  await waitUntil(async () => done.outcomes.has('wait') || (await waits()), { what: 'one waits, or is refused' });
  await all.release();
  const granted = await waiting;
  if (granted !== undefined) await done.call('release', granted.release());
  const withIds = ours.getPermitExpirableSemaphore(name, { permits: 3 });
  const id = await done.call('acquire with an id', withIds.acquire(60_000, { waitMs: 1_000 }));
  if (id !== undefined) {
    await done.call('set a lease', withIds.updateLeaseTime(id, 1_000));
    await done.call('release by id', withIds.tryRelease(id));
  }
  await done.call('try to set', mine.trySetPermits(4));
  await done.call('set', mine.setPermits(4));
  // Of Redisson's expirable semaphore: one whose lease has ended, and one that is out.
  await kit.admin.zadd(`{${name}}:timeout`, 1, 'ended', Date.now() + 60_000, 'out');
  await done.call('count', mine.availablePermits());
  await done.call('inspect', mine.inspect());
  await done.call('close', Promise.all([ours.close(), theirs.close()]));
  return done;
}

describe('the rules for semaphores in docs/security.md', () => {
  const grants = (['semaphores', 'sizing'] as const).flatMap((role) =>
    documentedGrants(role).map((grant): [string, Grant] => [role, grant]),
  );
  const limit = async (missing?: Grant) => {
    await createUser(kit.admin, user, 'locks');
    for (const role of ['semaphores', 'sizing']) await createUser(kit.admin, user, role, missing);
  };

  it('are enough: all is done, and Redis has refused nothing', async () => {
    await limit();
    expect((await round(unhurried)).undone).toEqual([]);
    expect(await refusedTo(kit.admin, user)).toEqual([]);
  });

  it('without those for sizing are enough for permits of a semaphore that others have set, and to count them where Java has none', async () => {
    const name = allowedName();
    const theirs = openAs(kit, 'default', unhurried);
    await theirs.getSemaphore(name).trySetPermits(4);
    for (const role of ['locks', 'semaphores']) await createUser(kit.admin, user, role);
    const ours = openAs(kit, user, unhurried);
    const [pool, withIds] = [ours.getSemaphore(name, { permits: 4 }), ours.getPermitExpirableSemaphore(name)];
    await (await pool.acquire(2)).release();
    await withIds.release(await withIds.acquire(60_000));
    expect(await pool.trySetPermits(9)).toBe(false);
    await pool.addPermits(1);
    await pool.setPermits(3);
    expect(await pool.availablePermits()).toBe(3);
    expect(await pool.inspect()).toMatchObject({ permits: 3 });
    expect([await withIds.getPermits(), await withIds.acquiredPermits()]).toEqual([3, 0]);
    expect(await pool.drainPermits()).toBe(3);
    expect(await refusedTo(kit.admin, user)).toEqual([]);
    await Promise.all([ours.close(), theirs.close()]);
  });

  it('with those for latches let an operator inspect both, and change neither', async () => {
    const name = allowedName();
    const theirs = openAs(kit, 'default', unhurried);
    await theirs.getSemaphore(name).trySetPermits(2);
    await theirs.getCountDownLatch(`${name}:latch`).trySetCount(3);
    for (const role of ['operator', 'semaphores', 'sizing', 'latches']) await createUser(kit.admin, user, role);
    const operator = openAs(kit, user, unhurried);
    expect(await operator.getSemaphore(name).inspect()).toMatchObject({ permits: 2, available: 2 });
    expect(await operator.getCountDownLatch(`${name}:latch`).inspect()).toMatchObject({ count: 3 });
    expect(await refusedTo(kit.admin, user)).toEqual([]);
    await Promise.all([operator.close(), theirs.close()]);
  });

  it.each(grants)(
    'are all needed: of %s, without %s each call is done or ends in a typed error, and no permit stays',
    async (_, missing) => {
      await limit(missing);
      const { undone } = await round(quick);
      expect(undone.filter((outcome) => !/: (LOCK_REFUSED NOPERM|LOCK_LOST|LOCK_TIMEOUT)$/.test(outcome))).toEqual([]);
      expect(await refusedTo(kit.admin, user)).not.toEqual([]);
      await waitUntil(
        async () => {
          const [key = ''] = await kit.admin.keys('lock:*');
          const ends = await kit.admin.hvals(`holdfast_sem_permits:{${key}}`);
          const now = Number((await kit.admin.time())[0]) * 1_000;
          return ends.every((end) => Number(end.split(' ').at(-1)) <= now);
        },
        { what: 'every lease is over' },
      );
    },
  );
});
