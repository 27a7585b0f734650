import { startPrivateRedis, useRedis, waitUntil } from '@holdfast/testkit';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { allowedName, openAs, quick, Round, unhurried } from '../support/access-round.js';
import { createUserOn, documentedGrants, type Grant, refusedTo } from '../support/acl-rules.js';

const kit = useRedis(startPrivateRedis);

beforeEach(async () => {
  await kit.admin.acl('LOG', 'RESET');
  jest.spyOn(console, 'warn').mockImplementation(() => undefined);
});
afterEach(async () => {
  jest.restoreAllMocks();
  const users = (await kit.admin.acl('USERS')) as string[];
  await kit.admin.acl('DELUSER', ...users.filter((user) => user.startsWith('limited')));
});

/** Two processes read together, one writes, is downgraded, waits; a third one gives up. The second may do everything. */
async function round(user: string, times: typeof quick): Promise<Round> {
  const done = new Round();
  const name = allowedName();
  const [ours, theirs] = [openAs(kit, user, times), openAs(kit, 'default', times)];
  // A process that reads already may let its own readers in until it has heard of the writer.
  const third = openAs(kit, user, times);
  const [mine, other] = [ours.getReadWriteLock(name), theirs.getReadWriteLock(name)];
  const reading = await done.call('read', mine.readLock().acquire({ waitMs: 2_000 }));
  const beside = await other.readLock().acquire();
  const waiting = other.writeLock().acquire();
  await waitUntil(async () => (await kit.admin.zcard(`holdfast_rw_writers:{${name}}`)) === 1, {
    what: 'a writer waits',
  });
  await done.call('ask behind a writer', third.getReadWriteLock(name).readLock().tryLock(200));
  await beside.release();
  if (reading !== undefined) await done.call('release what a writer waits for', reading.release());
  const writing = await waiting;
  await done.call('wait for a writer', mine.readLock().tryLock(100));
  await writing.release();
  const section = mine.writeLock().withLock({ waitMs: 2_000 }, async (hold) => {
    const inside = await mine.readLock().acquire();
    await hold.release();
    await inside.release();
  });
  await done.call('write, downgrade', section);
  await done.call('is locked', mine.readLock().isLocked());
  await done.call('close', Promise.all([ours, theirs, third].map((client) => client.close())));
  return done;
}

describe('the rules for read-write locks in docs/security.md', () => {
  it('are enough: all is done, and Redis has refused nothing', async () => {
    await createUserOn([kit.server], 'limited', 'locks', 'read-write');
    expect((await round('limited', unhurried)).undone).toEqual([]);
    expect(await refusedTo(kit.admin, 'limited')).toEqual([]);
  });

  it.each(documentedGrants('read-write'))(
    'are all needed: without %s each call is done or ends in a typed error, and no lock stays',
    async (missing: Grant) => {
      const user = 'limited-by-one';
      await createUserOn([kit.server], user, 'locks', 'read-write');
      const without = missing.startsWith('+') ? `-${missing.slice(1)}` : undefined;
      if (without === undefined) {
        const rest = documentedGrants('read-write').filter((grant) => grant !== missing);
        await kit.admin.acl('DELUSER', user);
        await createUserOn([kit.server], user, 'locks');
        await kit.admin.acl('SETUSER', user, ...rest);
      } else await kit.admin.acl('SETUSER', user, without);
      const { undone } = await round(user, quick);
      expect(undone.filter((outcome) => !/: (LOCK_REFUSED NOPERM|LOCK_LOST)$/.test(outcome))).toEqual([]);
      expect(await refusedTo(kit.admin, user)).not.toEqual([]);
      await waitUntil(async () => (await kit.admin.keys('lock:*')).length === 0, { what: 'every lease is over' });
    },
  );
});
